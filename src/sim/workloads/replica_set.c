#include "sim/workloads/replica_set.h"

#include <stdlib.h>

#include "base/nanoseconds.h"
#include "sim/workloads/pod_batches.h"
#include "sim/workloads/workload_pods.h"
#include "sim/world/world_write.h"

#define BURST_PODS_MAX 500 // created or deleted in one sync

static void scale(struct workloads *workloads, struct world_object *set, int64_t wanted);
static void write_status(struct workloads *workloads, struct world_object *set);

void replica_set_sync(void *context, const char *key)
{
    struct workloads *workloads = context;
    struct world_object *set = world_find_key(workloads->world, KIND_REPLICA_SET, key);
    if (set == NULL)
        return;
    if (!world_is_deleting(set))
        scale(workloads, set, world_int(set->json, "spec.replicas", 1));
    write_status(workloads, set);
}

static world_objects active_pods(struct world *world, const struct world_object *set)
{
    world_objects pods = world_controlled(world, set->uid, KIND_POD);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < pods.count; i++)
        if (world_pod_active(pods.items[i]))
            pods.items[kept++] = pods.items[i];
    pods.count = kept;
    return pods;
}

static void create_pods(struct workloads *workloads, struct world_object *set, int64_t count)
{
    char prefix[300];
    snprintf(prefix, sizeof prefix, "%s-", set->name);
    for (int64_t i = 0; i < count; i++) {
        json_t *pod = workload_pod(set, NULL, prefix);
        if (!workload_add_pod(workloads->world, set, pod)) {
            work_queue_add_after(workloads->replica_sets, set->key, 5 * SECOND);
            return;
        }
    }
}

static bool is_active_pod(const struct world_link *link)
{
    return link->controller && link->dependent->kind->id == KIND_POD &&
           world_pod_active(link->dependent);
}

static int64_t count_active_pods(const struct world *world, const struct world_object *set)
{
    const struct world_owner *owner = world_dependents(world, set->uid);
    int64_t count = 0;
    for (const struct world_link *link = owner == NULL ? NULL : owner->first; link != NULL;
         link = link->next)
        count += is_active_pod(link);
    return count;
}

static void remove_pods(struct workloads *workloads, const struct world_object *set,
                        int64_t surplus)
{
    world_objects pods = active_pods(workloads->world, set);
    workload_sort_for_deletion(workloads->world, set, &pods);
    for (int64_t i = 0; i < surplus; i++)
        workload_remove_pod(workloads->world, set, pods.items[i]);
    vector_free(&pods);
}

static void scale(struct workloads *workloads, struct world_object *set, int64_t wanted)
{
    int64_t missing = wanted - count_active_pods(workloads->world, set);
    if (missing > BURST_PODS_MAX || missing < -BURST_PODS_MAX)
        work_queue_add(workloads->replica_sets, set->key);
    if (missing > 0) {
        int64_t now = missing < BURST_PODS_MAX ? missing : BURST_PODS_MAX;
        create_pods(
            workloads, set,
            pod_batch_create(workloads, workloads->set_rate, workloads->replica_sets, set, now));
    } else if (missing < 0) {
        int64_t now = -missing < BURST_PODS_MAX ? -missing : BURST_PODS_MAX;
        remove_pods(
            workloads, set,
            pod_batch_delete(workloads, workloads->set_rate, workloads->replica_sets, set, now));
    }
}

static void write_status(struct workloads *workloads, struct world_object *set)
{
    struct world *world = workloads->world;
    const struct world_owner *owner = world_dependents(world, set->uid);
    int64_t min_ready_ns = ns_multiply(world_int(set->json, "spec.minReadySeconds", 0), SECOND);
    int64_t count = 0, ready = 0, available = 0, wait_ns = INT64_MAX;
    for (const struct world_link *link = owner == NULL ? NULL : owner->first; link != NULL;
         link = link->next) {
        if (!is_active_pod(link))
            continue;
        count++;
        ready += world_pod_ready(link->dependent);
        available += world_pod_available(world, link->dependent, min_ready_ns, &wait_ns);
    }
    if (wait_ns != INT64_MAX)
        work_queue_add_after(workloads->replica_sets, set->key, wait_ns);
    json_t *status = world_copy_status(set);
    json_object_set_new(status, "replicas", json_integer(count));
    json_object_set_new(status, "fullyLabeledReplicas", json_integer(count));
    json_object_set_new(status, "readyReplicas", json_integer(ready));
    json_object_set_new(status, "availableReplicas", json_integer(available));
    json_object_set_new(status, "observedGeneration", json_integer(world_generation(set)));
    world_set_status(world, set, status);
}
