// The workload controllers' queues, their sources, and shared functions.
#include "sim/workloads/workloads.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/nanoseconds.h"
#include "sim/workloads/autoscaler.h"
#include "sim/workloads/cron_job.h"
#include "sim/workloads/daemon_set.h"
#include "sim/workloads/deployment.h"
#include "sim/workloads/endpoints.h"
#include "sim/workloads/job.h"
#include "sim/workloads/pod_batches.h"
#include "sim/workloads/replica_set.h"
#include "sim/workloads/stateful_set.h"
#include "sim/workloads/workloads_internal.h"
#include "sim/world/world_write.h"

struct workloads *workloads_create(struct world *world)
{
    struct workloads *workloads = memory_allocate(sizeof *workloads);
    int64_t delay_ns = world->options.controller_delay_ns;
    struct loop *loop = world->loop;
    workloads->world = world;
    workloads->deployments = work_queue_create(loop, delay_ns, deployment_sync, workloads);
    workloads->replica_sets = work_queue_create(loop, delay_ns, replica_set_sync, workloads);
    workloads->stateful_sets = work_queue_create(loop, delay_ns, stateful_set_sync, workloads);
    workloads->daemon_sets = work_queue_create(loop, delay_ns, daemon_set_sync, workloads);
    workloads->daemon_nodes = work_queue_create(loop, delay_ns, daemon_set_node_sync, workloads);
    workloads->jobs = work_queue_create(loop, delay_ns, job_sync, workloads);
    workloads->cron_jobs = work_queue_create(loop, delay_ns, cron_job_sync, workloads);
    workloads->autoscalers = work_queue_create(loop, delay_ns, autoscaler_sync, workloads);
    workloads->endpoints = work_queue_create(loop, delay_ns, endpoints_sync, workloads);
    workloads->batches = map_create();
    workloads->set_rate = memory_allocate(sizeof *workloads->set_rate);
    workloads->stateful_rate = memory_allocate(sizeof *workloads->stateful_rate);
    workloads->job_rate = memory_allocate(sizeof *workloads->job_rate);
    workloads->daemon_pods = map_create();
    workloads->daemon_generations = map_create();
    return workloads;
}

void workloads_destroy(struct workloads *workloads)
{
    work_queue_destroy(workloads->deployments);
    work_queue_destroy(workloads->replica_sets);
    work_queue_destroy(workloads->stateful_sets);
    work_queue_destroy(workloads->daemon_sets);
    work_queue_destroy(workloads->daemon_nodes);
    work_queue_destroy(workloads->jobs);
    work_queue_destroy(workloads->cron_jobs);
    work_queue_destroy(workloads->autoscalers);
    work_queue_destroy(workloads->endpoints);
    map_destroy(workloads->batches, free);
    free(workloads->set_rate);
    free(workloads->stateful_rate);
    free(workloads->job_rate);
    daemon_set_pods_free(workloads);
    map_destroy(workloads->daemon_generations, NULL);
    free(workloads);
}

// Kinds without a table.
static struct work_queue *queue_of_other(struct workloads *workloads,
                                         const struct store_resource *resource)
{
    if (strcmp(resource->group, "autoscaling") == 0 && strcmp(resource->version, "v2") == 0)
        return workloads->autoscalers;
    if (strcmp(resource->group, "batch") == 0 && strcmp(resource->plural, "cronjobs") == 0)
        return workloads->cron_jobs;
    return NULL;
}

static struct work_queue *queue_of(struct workloads *workloads, const struct world_kind *kind)
{
    enum kind_id id = kind->id;
    if (id == KIND_COUNT)
        return queue_of_other(workloads, kind->resource);
    return id == KIND_DEPLOYMENT     ? workloads->deployments
           : id == KIND_REPLICA_SET  ? workloads->replica_sets
           : id == KIND_STATEFUL_SET ? workloads->stateful_sets
           : id == KIND_DAEMON_SET   ? workloads->daemon_sets
           : id == KIND_JOB          ? workloads->jobs
           : id == KIND_SERVICE      ? workloads->endpoints
                                     : NULL;
}

static void queue_controllers(struct workloads *workloads, const struct world_object *object)
{
    const char *uid = world_controller_uid(object);
    struct world_object *owner = uid == NULL ? NULL : map_get(workloads->world->by_uid, uid);
    if (owner == NULL)
        return;
    struct work_queue *queue = queue_of(workloads, owner->kind);
    if (queue == workloads->daemon_sets) // its status counts all nodes: once for a burst
        work_queue_add_after(queue, owner->key, SECOND);
    else if (queue != NULL)
        work_queue_add(queue, owner->key);
    // A Recreate waits for the pods of its old ReplicaSets.
    if (world_is(owner, KIND_REPLICA_SET) && object->gone)
        queue_controllers(workloads, owner);
}

void workloads_leave(void *part, struct world_object *object)
{
    struct workloads *workloads = part;
    if (world_is(object, KIND_POD)) {
        daemon_set_pod_leave(workloads, object);
        endpoints_pod_changed(workloads, object);
    }
    if (world_is(object, KIND_DAEMON_SET) && object->gone)
        map_remove(workloads->daemon_generations, object->uid);
    if (world_is(object, KIND_NODE) && object->gone)
        daemon_set_node_changed(workloads, object);
    if (object->gone) {
        pod_batches_forget(workloads, object);
        queue_controllers(workloads, object);
    }
}

void workloads_enter(void *part, struct world_object *object)
{
    struct workloads *workloads = part;
    if (world_is(object, KIND_POD)) {
        daemon_set_pod_enter(workloads, object);
        endpoints_pod_changed(workloads, object);
    }
    if (world_is(object, KIND_NODE))
        daemon_set_node_changed(workloads, object);
    struct work_queue *queue = queue_of(workloads, object->kind);
    if (queue != NULL)
        work_queue_add(queue, object->key);
    if (world_is(object, KIND_POD) || world_is(object, KIND_REPLICA_SET) ||
        world_is(object, KIND_JOB))
        queue_controllers(workloads, object);
}
