#include "sim/workloads/pod_batches.h"

#include <stdlib.h>

#include "base/nanoseconds.h"

#define SERIES_PODS_MAX 500 // in one sync of the owner

struct pod_batch {
    int64_t left, pending; // pods of the series; those of this batch
    int64_t size;
    int64_t next_at; // monotonic: the answer to this batch
};

static int64_t now_of(const struct workloads *workloads)
{
    return loop_monotonic_ns(workloads->world->loop);
}

// Takes up to `wanted` requests; if none is free, *wait_ns is the time until one is.
static int64_t take(struct workloads *workloads, struct request_rate *rate, int64_t wanted,
                    int64_t *wait_ns)
{
    const struct world_options *options = &workloads->world->options;
    *wait_ns = 0;
    if (options->controller_requests_per_second <= 0)
        return wanted;
    int64_t now_ns = now_of(workloads), each_ns = SECOND / options->controller_requests_per_second;
    int64_t burst_ns = ns_multiply(options->controller_requests_burst, each_ns);
    int64_t from_ns = ns_maximum(rate->free_at, now_ns);
    int64_t there = ns_subtract(ns_add(now_ns, burst_ns), from_ns) / each_ns;
    int64_t taken = there < wanted ? there : wanted;
    rate->free_at = ns_add(from_ns, ns_multiply(taken, each_ns));
    if (taken < wanted)
        *wait_ns = each_ns;
    return taken;
}

int64_t pod_batch_create(struct workloads *workloads, struct request_rate *rate,
                         struct work_queue *queue, const struct world_object *owner,
                         int64_t missing)
{
    const struct world_options *options = &workloads->world->options;
    if (options->controller_requests_per_second <= 0 && options->controller_request_ns <= 0)
        return missing;
    struct pod_batch *batch = map_ensure(workloads->batches, owner->uid, sizeof *batch);
    int64_t now_ns = now_of(workloads);
    if (batch->next_at > now_ns) {
        work_queue_add_after(queue, owner->key, ns_subtract(batch->next_at, now_ns));
        return 0;
    }
    if (batch->pending == 0 && batch->left == 0) {
        batch->left = missing < SERIES_PODS_MAX ? missing : SERIES_PODS_MAX;
        batch->size = 1;
    }
    if (batch->pending == 0) {
        batch->pending = batch->size < batch->left ? batch->size : batch->left;
        batch->left -= batch->pending;
        batch->size *= 2;
    }
    int64_t wait_ns;
    int64_t wanted = batch->pending < missing ? batch->pending : missing;
    int64_t granted = take(workloads, rate, wanted, &wait_ns);
    batch->pending = granted < wanted ? batch->pending - granted : 0;
    if (granted == missing)
        batch->left = batch->pending = 0;
    if (batch->pending == 0) {
        wait_ns = ns_maximum(wait_ns, options->controller_request_ns);
        batch->next_at = ns_add(now_ns, options->controller_request_ns);
    }
    if (granted < missing)
        work_queue_add_after(queue, owner->key, wait_ns);
    return granted;
}

int64_t pod_batch_delete(struct workloads *workloads, struct request_rate *rate,
                         struct work_queue *queue, const struct world_object *owner,
                         int64_t surplus)
{
    int64_t wait_ns;
    int64_t granted = take(workloads, rate, surplus, &wait_ns);
    if (granted < surplus)
        work_queue_add_after(queue, owner->key, wait_ns);
    return granted;
}

void pod_batches_forget(struct workloads *workloads, const struct world_object *owner)
{
    free(map_remove(workloads->batches, owner->uid));
}
