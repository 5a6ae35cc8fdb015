#include "model/reading/workload_counts.h"

#include <assert.h>
#include <string.h>

#include "model/schema/condition_types.h"
#include "model/schema/tables.h"

#define COMMON(kind_name, plural_name, singular_name)                                     \
    .version = "v1", .name = kind_name, .plural = plural_name, .singular = singular_name, \
    .namespaced = true, .type = &type_workload_counts

static const struct field meta_fields[] = {
    FIELD(struct object_meta, name, "name", STRING),
    FIELD(struct object_meta, namespace, "namespace", STRING, .flags = FIELD_SHARED),
    FIELD(struct object_meta, uid, "uid", STRING),
    FIELD(struct object_meta, resource_version, "resourceVersion", STRING),
};
static const struct type type_meta = TYPE("ObjectMeta", struct object_meta, meta_fields);

static const struct field spec_fields[] = {
    FIELD(MEMBER(struct workload_counts, spec), replicas, "replicas", OPTIONAL_INT32),
    FIELD(MEMBER(struct workload_counts, spec), parallelism, "parallelism", OPTIONAL_INT32),
    FIELD(MEMBER(struct workload_counts, spec), completions, "completions", OPTIONAL_INT32),
    FIELD(MEMBER(struct workload_counts, spec), suspend, "suspend", OPTIONAL_BOOL),
    FIELD(MEMBER(struct workload_counts, spec), pod_management_policy, "podManagementPolicy",
          STRING, .flags = FIELD_SHARED),
};
static const struct type type_spec =
    TYPE("WorkloadSpec", MEMBER(struct workload_counts, spec), spec_fields);

static const struct field status_fields[] = {
    FIELD(MEMBER(struct workload_counts, status), succeeded, "succeeded", OPTIONAL_INT32),
    FIELD(MEMBER(struct workload_counts, status), conditions, "conditions", LIST,
          .type = &type_condition),
};
static const struct type type_status =
    TYPE("WorkloadStatus", MEMBER(struct workload_counts, status), status_fields);

static const struct field workload_fields[] = {
    FIELD(struct workload_counts, meta, "metadata", OBJECT, .type = &type_meta),
    FIELD(struct workload_counts, spec, "spec", OBJECT, .type = &type_spec),
    FIELD(struct workload_counts, status, "status", OBJECT, .type = &type_status),
};
static const struct type type_workload_counts =
    TYPE("WorkloadCounts", struct workload_counts, workload_fields);

static const struct kind kinds[] = {
    {.id = KIND_REPLICA_SET,
     .group = "apps",
     .api_version = "apps/v1",
     COMMON("ReplicaSet", "replicasets", "replicaset")},
    {.id = KIND_STATEFUL_SET,
     .group = "apps",
     .api_version = "apps/v1",
     COMMON("StatefulSet", "statefulsets", "statefulset")},
    {.id = KIND_JOB, .group = "batch", .api_version = "batch/v1", COMMON("Job", "jobs", "job")},
};

const struct kind *workload_counts_kind(enum kind_id id)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].id == id)
            return &kinds[i];
    assert(!"a kind whose pods are not counted");
    return NULL;
}

static int64_t or_one(const struct optional_int *number)
{
    return number->present ? number->value : 1;
}

static int64_t job_wanted(const struct workload_counts *job)
{
    assert(job->kind->id == KIND_JOB);
    if (job->spec.suspend.present && job->spec.suspend.value)
        return 0;
    int64_t wanted = or_one(&job->spec.parallelism);
    if (!job->spec.completions.present)
        return wanted;
    int64_t left = job->spec.completions.value - job->status.succeeded.value;
    return left < wanted ? left : wanted;
}

int64_t workload_wanted(const struct workload_counts *workload)
{
    assert(workload->kind != NULL);
    if (workload->kind->id == KIND_JOB)
        return job_wanted(workload);
    int64_t wanted = or_one(&workload->spec.replicas);
    const char *policy = workload->spec.pod_management_policy;
    bool one_by_one = workload->kind->id == KIND_STATEFUL_SET &&
                      (policy == NULL || strcmp(policy, "Parallel") != 0);
    return one_by_one && wanted > 1 ? 1 : wanted;
}

bool workload_is_failing(const struct workload_counts *workload)
{
    return condition_is_true(&workload->status.conditions, CONDITION_REPLICA_FAILURE);
}
