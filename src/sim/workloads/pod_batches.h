// The pace of a workload controller: it creates and deletes pods in batches of 1, 2, 4, ..., each
// after the answers to the one before, so that a mistake costs few requests. Its client limits the
// rate (kube-controller-manager: --kube-api-qps, --kube-api-burst; one client a controller).
#pragma once

#include "sim/workloads/workloads_internal.h"

struct request_rate { // of one controller's client
    int64_t free_at;  // monotonic: when the whole burst is available again
};

// How many of the `missing` pods to create now; all of them without options. The queue syncs the
// owner again for the rest.
int64_t pod_batch_create(struct workloads *workloads, struct request_rate *rate,
                         struct work_queue *queue, const struct world_object *owner,
                         int64_t missing);
// The same for deletions, which have no batches.
int64_t pod_batch_delete(struct workloads *workloads, struct request_rate *rate,
                         struct work_queue *queue, const struct world_object *owner,
                         int64_t surplus);
void pod_batches_forget(struct workloads *workloads, const struct world_object *owner);
