#include "sim/scheduler/scheduler_outcomes.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "sim/scheduler/scheduler_queue.h"
#include "sim/scheduler/scheduler_volumes.h"
#include "sim/world/world_write.h"

#define COMPONENT "default-scheduler"

static bool keeps_nomination(const struct scheduler *scheduler, const struct world_object *pod,
                             const char *reason);
static void fail_by_error(struct scheduler *scheduler, struct scheduled_pod *entry,
                          const char *message);
static void reserve(struct scheduler *scheduler, struct scheduled_pod *entry, const char *node_name,
                    const claim_keys *claims);

// Returns whether the status was written.
static bool set_condition(struct scheduler *scheduler, struct world_object *pod, const char *status,
                          const char *reason, const char *message)
{
    json_t *value = world_copy_status(pod);
    bool changed =
        world_condition(scheduler->world, value, "PodScheduled", status, reason, message);
    if (!keeps_nomination(scheduler, pod, reason))
        changed |= json_object_del(value, "nominatedNodeName") == 0;
    world_set_status(scheduler->world, pod, value);
    return changed;
}

// A failed attempt ends a nomination, by whichever client: kube-scheduler does so when preemption
// finds nothing. Only a pod that never preempts keeps it, as long as there are nodes at all.
static bool keeps_nomination(const struct scheduler *scheduler, const struct world_object *pod,
                             const char *reason)
{
    return text_equal(reason, "SchedulingGated") ||
           (scheduler->world->options.nominations && text_equal(reason, "Unschedulable") &&
            text_equal(pod->pod->spec.preemption_policy, "Never") &&
            filter_nodes_count(scheduler->cluster) > 0);
}

// No filter has refused the pod: it is retried soon.
static void fail_by_error(struct scheduler *scheduler, struct scheduled_pod *entry,
                          const char *message)
{
    entry->reasons = 0;
    scheduler_fail(scheduler, entry, "SchedulerError", message);
}

// Like the API server's binding: the node and the condition in one write.
static void bind(struct scheduler *scheduler, struct scheduled_pod *entry, const char *node_name)
{
    struct world *world = scheduler->world;
    char key[WORLD_KEY_MAX];
    snprintf(key, sizeof key, "%s", entry->key);
    struct world_object *pod = world_find_key(world, KIND_POD, key);
    json_t *value = world_copy(pod), *status = world_copy_status(pod);
    json_object_set_new(json_object_get(value, "spec"), "nodeName", json_string(node_name));
    world_condition(world, status, "PodScheduled", "True", NULL, NULL);
    json_object_del(status, "nominatedNodeName");
    json_object_set_new(value, "status", status);
    struct error error;
    if (!world_replace_as(world, pod, "binding", value, &error)) {
        fail_by_error(scheduler, entry, error.message);
        return;
    }
    pod = world_find_key(world, KIND_POD, key);
    if (pod == NULL)
        return;
    struct text message = {0};
    text_format(&message, "Successfully assigned %s to %s", key, node_name);
    world_event(world, pod, "Normal", "Scheduled", COMPONENT, message.data);
    text_free(&message);
}

void scheduler_fail(struct scheduler *scheduler, struct scheduled_pod *entry, const char *reason,
                    const char *message)
{
    struct world *world = scheduler->world;
    char key[WORLD_KEY_MAX];
    snprintf(key, sizeof key, "%s", entry->key);
    scheduler_give_up(scheduler, entry);
    struct world_object *pod = world_find_key(world, KIND_POD, key);
    if (pod == NULL)
        return;
    world_event(world, pod, "Warning", "FailedScheduling", COMPONENT, message);
    scheduler->has_rejected |= set_condition(scheduler, pod, "False", reason, message);
}

void scheduler_hold_gated(struct scheduler *scheduler, struct scheduled_pod *entry,
                          struct world_object *pod)
{
    entry->state = POD_GATED;
    set_condition(scheduler, pod, "False", "SchedulingGated",
                  "Scheduling is blocked due to non-empty scheduling gates");
}

// --- volumes that wait for their first consumer --------------------------------------------------

// Copied: writing the claims changes the cluster behind the state.
claim_keys scheduler_delayed_claims(const struct filter_state *state)
{
    claim_keys keys = {0};
    const struct persistent_volume_claim *const *claims;
    uint32_t count = filter_delayed_claims(state, &claims);
    for (uint32_t i = 0; i < count; i++) {
        char key[WORLD_KEY_MAX];
        world_key(claims[i]->meta.namespace, claims[i]->meta.name, key);
        vector_push(&keys, memory_copy_string(key));
    }
    return keys;
}

static void select_node(struct world *world, const char *claim_key, const char *node_name)
{
    struct world_object *claim = world_find_key(world, KIND_PERSISTENT_VOLUME_CLAIM, claim_key);
    if (claim == NULL)
        return;
    json_t *value = world_copy(claim);
    json_t *metadata = json_object_get(value, "metadata");
    json_t *annotations = json_object_get(metadata, "annotations");
    if (annotations == NULL) {
        annotations = json_object();
        json_object_set_new(metadata, "annotations", annotations);
    }
    json_object_set_new(annotations, ANNOTATION_SELECTED_NODE, json_string(node_name));
    world_replace(world, claim, value);
}

// Announces the pod's node (to autoscalers, say) while its binding takes a while.
static void announce(struct world *world, struct world_object *pod, const char *node_name)
{
    json_t *status = world_copy_status(pod);
    json_object_set_new(status, "nominatedNodeName", json_string(node_name));
    world_set_status(world, pod, status);
}

void scheduler_assign(struct scheduler *scheduler, struct scheduled_pod *entry,
                      const char *node_name, const claim_keys *claims)
{
    if (claims->count == 0 && scheduler->world->options.scheduler_bind_ns == 0)
        bind(scheduler, entry, node_name);
    else
        reserve(scheduler, entry, node_name, claims);
}

// The pod takes its room at once.
static void reserve(struct scheduler *scheduler, struct scheduled_pod *entry, const char *node_name,
                    const claim_keys *claims)
{
    struct world *world = scheduler->world;
    entry->state = POD_BINDING;
    entry->binding_since = loop_monotonic_ns(world->loop);
    free(entry->node);
    entry->node = memory_copy_string(node_name);
    map_set(scheduler->bindings_under_way, entry->key, entry);
    struct world_object *pod = world_find_key(world, KIND_POD, entry->key);
    filter_cluster_assume(scheduler->cluster, pod->pod, node_name);
    scheduler->version++;
    if (world->options.nominations && claims->count > 0)
        announce(world, pod, node_name);
    vector_for_each (key, claims)
        select_node(world, *key, node_name);
    int64_t pause_ns = world_jitter(world, entry->key, world->options.scheduler_bind_ns);
    entry->bind_at = ns_add(entry->binding_since, pause_ns);
    work_queue_add_after(scheduler->bindings, entry->key, pause_ns);
}

static bool claims_bound(struct world *world, const struct world_object *object)
{
    list_for_each (volume, &object->pod->spec.volumes) {
        char name[600];
        if (volume->persistent_volume_claim != NULL)
            snprintf(name, sizeof name, "%s", volume->persistent_volume_claim->claim_name);
        else if (volume->ephemeral != NULL)
            snprintf(name, sizeof name, "%s-%s", object->name, volume->name);
        else
            continue;
        struct world_object *claim =
            world_find(world, KIND_PERSISTENT_VOLUME_CLAIM, object->namespace, name);
        if (claim == NULL || claim->claim == NULL ||
            !text_equal(claim->claim->status.phase, "Bound"))
            return false;
    }
    return true;
}

void scheduler_check_binding(void *context, const char *key)
{
    struct scheduler *scheduler = context;
    struct scheduled_pod *entry = map_get(scheduler->entries, key);
    if (entry == NULL || entry->state != POD_BINDING)
        return;
    struct world_object *pod = world_find_key(scheduler->world, KIND_POD, key);
    int64_t now_ns = loop_monotonic_ns(scheduler->world->loop);
    int64_t early_ns = ns_subtract(entry->bind_at, now_ns);
    if (early_ns > 0) {
        work_queue_add_after(scheduler->bindings, key, early_ns);
        return;
    }
    bool node_gone = filter_node_find(scheduler->cluster, entry->node) == FILTER_NODE_NONE;
    int64_t waited = ns_subtract(now_ns, entry->binding_since);
    if (!node_gone && claims_bound(scheduler->world, pod)) {
        CLEANUP_FREE char *node = memory_copy_string(entry->node);
        bind(scheduler, entry, node);
    } else if (node_gone || waited >= SCHEDULER_BIND_TIMEOUT_NS) {
        filter_cluster_put(scheduler->cluster, pod->typed);
        scheduler->version++;
        fail_by_error(scheduler, entry,
                      node_gone ? "the node went while volumes were being bound"
                                : "binding volumes: timed out waiting for the condition");
    } else {
        work_queue_add_after(scheduler->bindings, key,
                             ns_subtract(SCHEDULER_BIND_TIMEOUT_NS, waited));
    }
}

void scheduler_look_at_bindings(struct scheduler *scheduler)
{
    for (struct map_entry *e = map_first(scheduler->bindings_under_way); e != NULL; e = map_next(e))
        work_queue_add(scheduler->bindings, map_key(e));
}
