// How fast a workload controller creates and deletes pods: in batches of 1, 2, 4, ... pods, each
// once the one before it is answered, so that a mistake costs few requests; and no faster than its
// client lets it (kube-controller-manager: --kube-api-qps, --kube-api-burst; each controller has a
// client of its own).
#pragma once

#include "sim/workloads/workloads_internal.h"

struct request_rate { // of one controller's client
    int64_t free_at;  // monotonic: when all of the burst is there again
};

// How many of the `missing` pods are to be created now; all without options. The queue looks at the
// owner again for the rest.
int64_t pod_batch_create(struct workloads *workloads, struct request_rate *rate,
                         struct work_queue *queue, const struct world_object *owner,
                         int64_t missing);
// The same of pods to be deleted: they know no batches.
int64_t pod_batch_delete(struct workloads *workloads, struct request_rate *rate,
                         struct work_queue *queue, const struct world_object *owner,
                         int64_t surplus);
void pod_batches_forget(struct workloads *workloads, const struct world_object *owner);
