#include "control/provisioning/snapshot_builder.h"

#include <string.h>

#include "control/buffers/capacity_buffers.h"
#include "control/launch/launch_backoff.h"
#include "control/launch/launch_backoff_catalog.h"
#include "control/learning/cpu_use.h"
#include "control/provisioning/leaving_pods.h"
#include "control/provisioning/snapshot_planned.h"
#include "control/provisioning/workload_bursts.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "control/state/state_node.h"
#include "model/reading/pod.h"
#include "model/snapshot/strategy.h"

static const enum kind_id kinds[] = {
    KIND_NODE,
    KIND_NODE_POOL,
    KIND_DAEMON_SET,
    KIND_NAMESPACE,
    KIND_POD_DISRUPTION_BUDGET,
    KIND_PERSISTENT_VOLUME_CLAIM,
    KIND_PERSISTENT_VOLUME,
    KIND_STORAGE_CLASS,
    KIND_CSI_NODE,
    KIND_NODE_OVERLAY,
    KIND_RESOURCE_CLAIM,
    KIND_RESOURCE_CLAIM_TEMPLATE,
    KIND_DEVICE_CLASS,
    KIND_RESOURCE_SLICE,
};

// LIF-2: another provider's NodePool cannot be launched into.
static bool is_foreign(const struct control *control, const struct object *object)
{
    return object->kind->id == KIND_NODE_POOL &&
           !managed_pool(control, (const struct node_pool *)object);
}

static void add_kind(struct snapshot *snapshot, const struct control *control, enum kind_id kind)
{
    struct mirror_iterator iterator = {0};
    for (const struct object *object;
         (object = mirror_next(control->manager.mirror, kind, &iterator)) != NULL;)
        if (!is_foreign(control, object))
            snapshot_add(snapshot, object);
}

// Without its Node a NodeClaim would count as an empty machine that is launching.
static void add_salvaged_nodes(struct snapshot *snapshot, const struct control *control)
{
    struct mirror_iterator iterator = {0};
    for (const struct object *object;
         (object = mirror_next_salvaged(control->manager.mirror, KIND_NODE, &iterator)) != NULL;)
        snapshot_add(snapshot, object);
}

static bool is_spoken_for(struct control *control, const struct leaving_pods *leaving,
                          const struct pod *pod)
{
    bool is_planned = pod_is_bound(pod)
                          ? cluster_planned_claim(control->cluster, pod) != NULL
                          : cluster_is_planned(control->cluster, pod); // or waits, displaced
    return is_planned || leaving_place_is_known(leaving_pods_place(leaving, pod));
}

static void add_pods(struct snapshot *snapshot, struct control *control,
                     const struct leaving_pods *leaving)
{
    struct mirror_iterator iterator = {0};
    for (const struct object *object;
         (object = mirror_next(control->manager.mirror, KIND_POD, &iterator)) != NULL;) {
        const struct pod *pod = (const struct pod *)object;
        bool bound = pod->spec.node_name != NULL && *pod->spec.node_name != '\0';
        if (pod_is_terminal(pod) || is_spoken_for(control, leaving, pod) ||
            (!bound && snapshot_strategy_of(control->manager.settings)->plans_unexamined_pods))
            continue; // pending pods are added below
        snapshot_add(snapshot, object);
    }
}

static void add_waiting_pods(struct snapshot *snapshot, struct control *control)
{
    const struct pod_list *pods = cluster_provisionable(control->cluster);
    for (uint32_t i = 0; i < pods->count; i++)
        if (!cluster_is_planned(control->cluster, pods->items[i]))
            snapshot_add_waiting(snapshot, pods->items[i]);
}

// A provider has one catalog for all pools, or one each: the same object is added once.
static void add_catalogs(struct snapshot *snapshot, const struct snapshot_sources *sources,
                         struct text *errors)
{
    struct control *control = sources->control;
    struct mirror_iterator iterator = {0};
    for (const struct object *object;
         (object = mirror_next(control->manager.mirror, KIND_NODE_POOL, &iterator)) != NULL;) {
        const struct node_pool *pool = (const struct node_pool *)object;
        if (!managed_pool(control, pool))
            continue;
        struct error error = {0};
        const struct instance_type_catalog *catalog =
            launch_backoff_catalog(sources->launch_backoff, pool, &error);
        if (catalog == NULL) {
            text_join(errors, "\n", pool->meta.name);
            text_format(errors, ": %s", error.message);
            continue;
        }
        bool present = false;
        for (uint32_t i = 0; i < snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count; i++)
            present = present || snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].items[i] ==
                                     (const struct object *)catalog;
        if (!present)
            snapshot_add(snapshot, (const struct object *)catalog);
        object_release((const struct object *)catalog);
    }
}

static void add_marks(struct snapshot *snapshot, struct control *control)
{
    uint32_t count = cluster_count(control->cluster);
    snapshot->marked_for_deletion.items =
        arena_allocate_array(snapshot->arena, count + 1, sizeof(const char *));
    snapshot->nominated.items =
        arena_allocate_array(snapshot->arena, count + 1, sizeof(struct nomination));
    struct map_entry *position = NULL;
    for (const struct state_node *state;
         (state = cluster_next(control->cluster, &position)) != NULL;) {
        const char *name = arena_copy_string(snapshot->arena, state_name(state));
        if (state_marked(state))
            snapshot->marked_for_deletion.items[snapshot->marked_for_deletion.count++] = name;
        int64_t until = cluster_nominated_until(control->cluster, state);
        if (until > snapshot->time)
            snapshot->nominated.items[snapshot->nominated.count++] =
                (struct nomination){name, until};
    }
}

struct snapshot *snapshot_build(const struct snapshot_sources *sources, struct text *errors)
{
    struct control *control = sources->control;
    struct snapshot *snapshot = snapshot_create();
    snapshot->time = manager_now(&control->manager);
    // The controller owns the texts of the settings: the snapshot must not free them.
    snapshot->settings = *control->manager.settings;
    snapshot->settings.strings_count = 0;
    memset(snapshot->settings.strings, 0, sizeof snapshot->settings.strings);
    cpu_use_apply(sources->cpu_use, &snapshot->settings);
    snapshot->require_unschedulable_condition =
        !snapshot_strategy_of(control->manager.settings)->plans_unexamined_pods;
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        add_kind(snapshot, control, kinds[i]);
    add_kind(snapshot, control, control->node_class_kind);
    add_salvaged_nodes(snapshot, control);
    snapshot_add_node_claims(snapshot, control, sources->commands);
    if (sources->bursts != NULL)
        workload_bursts_review(sources->bursts);
    struct leaving_pods *leaving =
        leaving_pods_create(control, control->strategy->keeps_plans ? sources->commands : NULL);
    add_pods(snapshot, control, leaving);
    if (snapshot_strategy_of(control->manager.settings)->plans_unexamined_pods)
        add_waiting_pods(snapshot, control);
    snapshot_add_planned_pods(snapshot, control, leaving);
    leaving_pods_destroy(leaving);
    if (sources->bursts != NULL)
        snapshot_add_expected_pods(snapshot, control, sources->bursts);
    capacity_buffers_add(sources->buffers, snapshot);
    add_catalogs(snapshot, sources, errors);
    add_marks(snapshot, control);
    return snapshot;
}

bool deleting_nodes_have_pods(const struct control *control)
{
    struct map_entry *position = NULL;
    int64_t now = manager_now(&control->manager);
    for (const struct state_node *state;
         (state = cluster_next(control->cluster, &position)) != NULL;) {
        if (!state_marked(state))
            continue;
        for (uint32_t i = 0; i < state->nodes.count; i++) {
            const struct pod_list *pods =
                cluster_pods(control->cluster, state->nodes.items[i]->meta.name);
            for (uint32_t j = 0; j < pods->count; j++)
                if (pod_needs_place(pods->items[j]) &&
                    !(pod_is_active(pods->items[j]) && pod_is_protected(pods->items[j], now)))
                    return true;
        }
    }
    return false;
}

static bool holds(const struct snapshot *snapshot, const struct object *catalog)
{
    for (uint32_t i = 0; i < snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count; i++)
        if (snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].items[i] == catalog)
            return true;
    return false;
}

// The snapshot has today's catalogs and no others: a pool may have returned to the common catalog.
bool snapshot_has_catalogs(const struct snapshot *snapshot, const struct snapshot_sources *sources)
{
    struct control *control = sources->control;
    VECTOR(const void *) today = {0};
    bool held = true;
    struct mirror_iterator iterator = {0};
    for (const struct object *object;
         held &&
         (object = mirror_next(control->manager.mirror, KIND_NODE_POOL, &iterator)) != NULL;) {
        struct error error = {0};
        if (!managed_pool(control, (const struct node_pool *)object))
            continue;
        const struct object *catalog = (const struct object *)launch_backoff_catalog(
            sources->launch_backoff, (const struct node_pool *)object, &error);
        held = catalog != NULL && holds(snapshot, catalog);
        bool seen = false;
        for (uint32_t i = 0; i < today.count; i++)
            seen = seen || today.items[i] == catalog;
        if (!seen)
            vector_push(&today, catalog);
        object_release(catalog);
    }
    held = held && today.count == snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count;
    vector_free(&today);
    return held;
}
