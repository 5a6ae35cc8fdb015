// The world: its parts, the watches that feed its cache, and machines.
#include "sim/world.h"

#include <stdlib.h>
#include <string.h>

#include "model/tables/kinds.h"
#include "sim/kubelet/device_drivers.h"
#include "sim/kubelet/kubelet.h"
#include "sim/kubelet/kubelet_nodes.h"
#include "sim/kubelet/node_lifecycle.h"
#include "sim/kubelet/volumes.h"
#include "sim/scheduler/scheduler.h"
#include "sim/store/store_watch.h"
#include "sim/workloads/disruption_budget.h"
#include "sim/workloads/owner_collector.h"
#include "sim/workloads/workloads.h"
#include "sim/world/world_cache.h"

// A resource registered later (a CRD) is noticed within this time.
#define RESOURCES_LOOK_NS (10 * SECOND)

static void observe(struct world *world);
static void watch_resources(struct world *world);
static void look_for_resources(void *context, const char *key);
static void receive(void *context, const char *type, json_t *object);

struct world *world_create(struct loop *loop, struct store *store,
                           const struct world_options *options)
{
    struct world *world = memory_allocate(sizeof *world);
    world->loop = loop;
    world->store = store;
    if (options != NULL)
        world->options = *options;
    else
        world_options_defaults(&world->options);
    world->by_uid = map_create();
    world->owners = map_create();
    world->node_pods = map_create();
    if (world->options.kubelets)
        world->kubelets = kubelets_create(world);
    if (world->options.scheduler)
        world->scheduler = scheduler_create(world);
    if (world->options.workloads)
        world->workloads = workloads_create(world);
    if (world->options.budgets)
        world->budgets = budgets_create(world);
    if (world->options.collector)
        world->collector = collector_create(world);
    if (world->options.node_lifecycle)
        world->node_lifecycle = node_lifecycle_create(world);
    if (world->options.volumes)
        world->volumes = volumes_create(world);
    if (world->options.drivers)
        world->drivers = device_drivers_create(world);
    observe(world);
    world->resources_look = work_queue_create(loop, RESOURCES_LOOK_NS, look_for_resources, world);
    look_for_resources(world, "");
    return world;
}

// The order in which the parts receive a change; reproducible runs depend on it.
static void observe(struct world *world)
{
    if (world->scheduler != NULL)
        world_observe(world, scheduler_leave, scheduler_enter, world->scheduler);
    if (world->kubelets != NULL)
        world_observe(world, kubelets_leave, kubelets_enter, world->kubelets);
    if (world->workloads != NULL)
        world_observe(world, workloads_leave, workloads_enter, world->workloads);
    if (world->budgets != NULL)
        world_observe(world, budgets_leave, budgets_enter, world->budgets);
    if (world->collector != NULL)
        world_observe(world, collector_leave, collector_enter, world->collector);
    if (world->node_lifecycle != NULL)
        world_observe(world, node_lifecycle_leave, node_lifecycle_enter, world->node_lifecycle);
    if (world->volumes != NULL)
        world_observe(world, volumes_leave, volumes_enter, world->volumes);
    if (world->drivers != NULL)
        world_observe(world, device_drivers_leave, device_drivers_enter, world->drivers);
}

void world_destroy(struct world *world)
{
    if (world == NULL)
        return;
    work_queue_destroy(world->resources_look);
    vector_for_each (kind, &world->kinds)
        store_watch_destroy((*kind)->watch);
    if (world->scheduler != NULL)
        scheduler_destroy(world->scheduler);
    if (world->kubelets != NULL)
        kubelets_destroy(world->kubelets);
    if (world->workloads != NULL)
        workloads_destroy(world->workloads);
    if (world->budgets != NULL)
        budgets_destroy(world->budgets);
    if (world->collector != NULL)
        collector_destroy(world->collector);
    if (world->node_lifecycle != NULL)
        node_lifecycle_destroy(world->node_lifecycle);
    if (world->volumes != NULL)
        volumes_destroy(world->volumes);
    if (world->drivers != NULL)
        device_drivers_destroy(world->drivers);
    world_cache_clear(world);
    vector_for_each (kind, &world->kinds)
        free(*kind);
    vector_free(&world->kinds);
    map_destroy(world->by_uid, NULL);
    map_destroy(world->owners, NULL);
    map_destroy(world->node_pods, free);
    for (uint32_t i = world->events.first; i < world->events.records.count; i++) {
        free(world->events.records.items[i].namespace);
        free(world->events.records.items[i].name);
    }
    vector_free(&world->events.records);
    free(world);
}

// --- feeding the cache ---------------------------------------------------------------------------

static void look_for_resources(void *context, const char *key)
{
    struct world *world = context;
    watch_resources(world);
    work_queue_add(world->resources_look, key);
}

static bool is_typed(enum kind_id id)
{
    return id == KIND_POD || id == KIND_NODE || id == KIND_NAMESPACE ||
           id == KIND_POD_DISRUPTION_BUDGET || id == KIND_PERSISTENT_VOLUME_CLAIM ||
           id == KIND_PERSISTENT_VOLUME || id == KIND_STORAGE_CLASS || id == KIND_CSI_NODE ||
           id == KIND_RESOURCE_CLAIM || id == KIND_RESOURCE_SLICE || id == KIND_DEVICE_CLASS;
}

static bool gather(void *context, json_t *object)
{
    struct world_kind *kind = context;
    world_refresh(kind->world, kind, store_namespace(object), store_name(object));
    return true;
}

static void watch_resource(struct world *world, const struct store_resource *resource)
{
    struct world_kind *kind = memory_allocate(sizeof *kind);
    *kind = (struct world_kind){
        .world = world, .resource = resource, .id = KIND_COUNT, .objects = map_create()};
    const struct kind *known =
        kind_find_plural(resource->group, resource->version, resource->plural);
    if (known != NULL) {
        kind->id = known->id;
        kind->typed = is_typed(known->id);
        world->by_id[known->id] = kind;
    }
    vector_push(&world->kinds, kind);
    struct error error;
    kind->watch = store_watch_create(world->store, &(struct store_target){resource}, 0, receive,
                                     kind, &error);
}

// Watches first, then the present objects, so that nothing is missed.
static void watch_resources(struct world *world)
{
    uint32_t count, first_new = world->kinds.count;
    const struct store_resource *resources = store_resources(world->store, &count);
    for (uint32_t i = first_new; i < count; i++)
        watch_resource(world, &resources[i]);
    for (uint32_t i = first_new; i < world->kinds.count; i++)
        store_each(world->store, world->kinds.items[i]->resource, NULL, gather,
                   world->kinds.items[i]);
}

static void receive(void *context, const char *type, json_t *object)
{
    (void)type; // only the object's present state counts
    struct world_kind *kind = context;
    world_refresh(kind->world, kind, store_namespace(object), store_name(object));
}

// --- machines and counts -------------------------------------------------------------------------

bool world_machine_boots(struct world *world, const struct machine_boot *boot)
{
    return world->kubelets != NULL && kubelets_machine_boots(world->kubelets, boot);
}

void world_machine_gone(struct world *world, const char *provider_id)
{
    if (world->kubelets != NULL)
        kubelets_machine_gone(world->kubelets, provider_id);
}

void world_machine_set_state(struct world *world, const char *provider_id, enum machine_state state)
{
    if (world->kubelets != NULL)
        kubelets_machine_state(world->kubelets, provider_id, state);
}

struct world_counts world_counts(const struct world *world)
{
    struct world_counts counts = {0};
    world_for_each(node, world, KIND_NODE)
    {
        counts.nodes++;
        counts.nodes_ready += text_equal(world_condition_status(node, "Ready"), "True");
    }
    world_for_each(pod, world, KIND_POD)
    {
        counts.pods++;
        if (world_is_deleting(pod))
            counts.pods_terminating++;
        else if (world_pod_ended(pod))
            counts.pods_ended++;
        else if (pod->on_node == NULL)
            counts.pods_unassigned++;
        else if (world_pod_ready(pod))
            counts.pods_running++;
        else
            counts.pods_starting++;
    }
    return counts;
}
