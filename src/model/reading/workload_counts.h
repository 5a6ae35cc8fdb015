// The desired number of pods of a ReplicaSet, a StatefulSet or a Job, without the rest of the
// object: a cluster has thousands of them, and a pod template alone would be ten times as large.
#pragma once

#include "model/schema/object.h"

struct workload_counts { // of `meta` only name, namespace, uid and resourceVersion are read
    OBJECT_HEADER;
    struct {
        struct optional_int replicas;                 // ReplicaSet, StatefulSet
        struct optional_int parallelism, completions; // Job
        struct optional_bool suspend;                 // Job
        const char *pod_management_policy;            // StatefulSet
    } spec;
    struct {
        struct optional_int succeeded; // Job
        condition_list conditions;
    } status;
};

// The kind whose objects decode to struct workload_counts; `id` is KIND_REPLICA_SET,
// KIND_STATEFUL_SET or KIND_JOB, and stays the object's kind->id.
const struct kind *workload_counts_kind(enum kind_id id);
// The number of pods desired at the same time. A StatefulSet that starts its pods in order counts
// as one at first: the next is created when that one is running.
int64_t workload_wanted(const struct workload_counts *workload);
// The controller cannot create its pods: a quota, an admission webhook (condition ReplicaFailure).
bool workload_is_failing(const struct workload_counts *workload);
