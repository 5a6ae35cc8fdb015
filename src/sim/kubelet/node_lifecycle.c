#include "sim/kubelet/node_lifecycle.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "model/reading/pod.h"
#include "sim/kubelet/kubelet.h"
#include "sim/kubelet/kubelet_nodes.h"
#include "sim/world/world_write.h"

#define TAINT_NOT_READY   "node.kubernetes.io/not-ready"
#define TAINT_UNREACHABLE "node.kubernetes.io/unreachable"

struct node_lifecycle {
    struct world *world;
    struct work_queue *taints;    // by node name: conditions and spec to taints
    struct work_queue *monitor;   // by node name: heartbeats
    struct work_queue *evictions; // by pod key
    struct work_queue *orphans;   // by node name: pods of a node that is gone
};

static void sync_taints(void *context, const char *node_name);
static void check_heartbeat(void *context, const char *node_name);
static void check_eviction(void *context, const char *pod_key);
static void collect_pods(void *context, const char *node_name);

struct node_lifecycle *node_lifecycle_create(struct world *world)
{
    struct node_lifecycle *lifecycle = memory_allocate(sizeof *lifecycle);
    int64_t delay_ns = world->options.controller_delay_ns;
    lifecycle->world = world;
    lifecycle->taints = work_queue_create(world->loop, delay_ns, sync_taints, lifecycle);
    lifecycle->monitor =
        work_queue_create(world->loop, world->options.node_monitor_ns, check_heartbeat, lifecycle);
    lifecycle->evictions = work_queue_create(world->loop, delay_ns, check_eviction, lifecycle);
    lifecycle->orphans =
        work_queue_create(world->loop, world->options.pod_collection_ns, collect_pods, lifecycle);
    return lifecycle;
}

void node_lifecycle_destroy(struct node_lifecycle *lifecycle)
{
    work_queue_destroy(lifecycle->taints);
    work_queue_destroy(lifecycle->monitor);
    work_queue_destroy(lifecycle->evictions);
    work_queue_destroy(lifecycle->orphans);
    free(lifecycle);
}

static bool has_no_execute(const struct world_object *node)
{
    if (node->node == NULL)
        return false;
    list_for_each (taint, &node->node->spec.taints) {
        if (text_equal(taint->effect, "NoExecute"))
            return true;
    }
    return false;
}

void node_lifecycle_leave(void *part, struct world_object *object)
{
    struct node_lifecycle *lifecycle = part;
    if (world_is(object, KIND_NODE) && object->gone &&
        world_pods_on(lifecycle->world, object->name)->count > 0)
        work_queue_add(lifecycle->orphans, object->name);
}

void node_lifecycle_enter(void *part, struct world_object *object)
{
    struct node_lifecycle *lifecycle = part;
    struct world *world = lifecycle->world;
    if (world_is(object, KIND_NODE)) {
        work_queue_add(lifecycle->taints, object->name);
        work_queue_add(lifecycle->monitor, object->name);
        const struct world_node_pods *pods = world_pods_on(world, object->name);
        if (has_no_execute(object))
            for (struct world_object *pod = pods->first; pod != NULL; pod = pod->node_next)
                work_queue_add(lifecycle->evictions, pod->key);
    } else if (world_is(object, KIND_POD) && object->on_node != NULL) {
        const char *node_name = world_text(object->json, "spec.nodeName");
        const struct world_object *node = world_find(world, KIND_NODE, NULL, node_name);
        if (node == NULL)
            work_queue_add(lifecycle->orphans, node_name);
        else if (has_no_execute(node))
            work_queue_add(lifecycle->evictions, object->key);
    }
}

// --- taints by condition -------------------------------------------------------------------------

static bool wants_taint(const struct world_object *node, const char *key, const char *effect)
{
    static const struct {
        const char *key, *condition;
    } pressures[] = {
        {"node.kubernetes.io/memory-pressure", "MemoryPressure"},
        {"node.kubernetes.io/disk-pressure", "DiskPressure"},
        {"node.kubernetes.io/pid-pressure", "PIDPressure"},
        {"node.kubernetes.io/network-unavailable", "NetworkUnavailable"},
    };
    const char *ready = world_condition_status(node, "Ready");
    if (strcmp(key, TAINT_NOT_READY) == 0) // a node without a report yet takes no pods
        return text_equal(ready, "False") || (ready == NULL && strcmp(effect, "NoSchedule") == 0);
    if (strcmp(key, TAINT_UNREACHABLE) == 0)
        return text_equal(ready, "Unknown");
    if (strcmp(key, "node.kubernetes.io/unschedulable") == 0)
        return json_is_true(store_path(node->json, "spec.unschedulable"));
    for (size_t i = 0; i < ARRAY_LENGTH(pressures); i++)
        if (strcmp(key, pressures[i].key) == 0)
            return text_equal(world_condition_status(node, pressures[i].condition), "True");
    return false;
}

static const char *const managed_taints[][2] = {
    {TAINT_NOT_READY, "NoSchedule"},
    {TAINT_NOT_READY, "NoExecute"},
    {TAINT_UNREACHABLE, "NoSchedule"},
    {TAINT_UNREACHABLE, "NoExecute"},
    {"node.kubernetes.io/unschedulable", "NoSchedule"},
    {"node.kubernetes.io/memory-pressure", "NoSchedule"},
    {"node.kubernetes.io/disk-pressure", "NoSchedule"},
    {"node.kubernetes.io/pid-pressure", "NoSchedule"},
    {"node.kubernetes.io/network-unavailable", "NoSchedule"},
};

static size_t find_taint(const json_t *taints, const char *key, const char *effect)
{
    size_t index;
    json_t *taint;
    json_array_foreach (taints, index, taint) {
        if (text_equal(world_text(taint, "key"), key) &&
            text_equal(world_text(taint, "effect"), effect))
            return index;
    }
    return SIZE_MAX;
}

// True if the list has changed.
static bool adjust_taints(const struct world *world, const struct world_object *node,
                          json_t *taints)
{
    bool changed = false;
    char now[INSTANT_TEXT_MAX];
    world_now(world, now);
    for (size_t i = 0; i < ARRAY_LENGTH(managed_taints); i++) {
        const char *key = managed_taints[i][0], *effect = managed_taints[i][1];
        size_t position = find_taint(taints, key, effect);
        bool wanted = wants_taint(node, key, effect);
        if (wanted == (position != SIZE_MAX))
            continue;
        changed = true;
        if (wanted)
            json_array_append_new(taints, json_pack("{s:s, s:s, s:s}", "key", key, "effect", effect,
                                                    "timeAdded", now));
        else
            json_array_remove(taints, position);
    }
    return changed;
}

static void sync_taints(void *context, const char *node_name)
{
    struct node_lifecycle *lifecycle = context;
    struct world_object *node = world_find(lifecycle->world, KIND_NODE, NULL, node_name);
    if (node == NULL)
        return;
    json_t *value = world_copy(node), *spec = json_object_get(value, "spec");
    if (spec == NULL) {
        spec = json_object();
        json_object_set_new(value, "spec", spec);
    }
    json_t *taints = json_object_get(spec, "taints");
    if (taints == NULL) {
        taints = json_array();
        json_object_set_new(spec, "taints", taints);
    }
    bool changed = adjust_taints(lifecycle->world, node, taints);
    if (json_array_size(taints) == 0)
        json_object_del(spec, "taints");
    if (changed)
        world_replace(lifecycle->world, node, value);
    else
        json_decref(value);
}

// --- heartbeats ----------------------------------------------------------------------------------

// 0: the node never sent a heartbeat, so its silence means nothing.
static int64_t last_heartbeat(const struct node_lifecycle *lifecycle, const char *node_name)
{
    const struct world *world = lifecycle->world;
    if (world->options.heartbeats == HEARTBEATS_SILENT)
        return world->kubelets == NULL ? 0 : kubelets_last_heartbeat(world->kubelets, node_name);
    const struct world_object *lease = world_find(world, KIND_LEASE, "kube-node-lease", node_name);
    return lease == NULL ? 0 : world_instant(lease->json, "spec.renewTime");
}

static void mark_unknown(struct node_lifecycle *lifecycle, struct world_object *node)
{
    static const char *const conditions[] = {"Ready", "MemoryPressure", "DiskPressure",
                                             "PIDPressure"};
    json_t *status = world_copy_status(node);
    for (size_t i = 0; i < ARRAY_LENGTH(conditions); i++)
        if (i == 0 || world_condition_status(node, conditions[i]) != NULL)
            world_condition(lifecycle->world, status, conditions[i], "Unknown", "NodeStatusUnknown",
                            "Kubelet stopped posting node status.");
    world_set_status(lifecycle->world, node, status);
}

static void mark_pods_not_ready(struct node_lifecycle *lifecycle, const char *node_name)
{
    struct world *world = lifecycle->world;
    world_objects pods = world_gather_pods(world, node_name);
    vector_for_each (pod, &pods) {
        if (!world_pod_ready(*pod))
            continue;
        json_t *status = world_copy_status(*pod);
        world_condition(world, status, "Ready", "False", "NodeNotReady", NULL);
        world_set_status(world, *pod, status);
    }
    vector_free(&pods);
}

static void check_heartbeat(void *context, const char *node_name)
{
    struct node_lifecycle *lifecycle = context;
    struct world *world = lifecycle->world;
    struct world_object *node = world_find(world, KIND_NODE, NULL, node_name);
    if (node == NULL)
        return;
    work_queue_add(lifecycle->monitor, node_name);
    int64_t last = last_heartbeat(lifecycle, node_name);
    bool missed = last != 0 && ns_subtract(loop_now_ns(world->loop), last) >
                                   world->options.node_monitor_grace_ns;
    const char *ready = world_condition_status(node, "Ready");
    if (missed && !text_equal(ready, "Unknown")) {
        mark_unknown(lifecycle, node);
        mark_pods_not_ready(lifecycle, node_name);
    } else if (!text_equal(ready, "True") && world->kubelets != NULL && !world_is_deleting(node) &&
               kubelets_machine_is_gone(world->kubelets, node)) {
        world_remove(world, node, -1, NULL);
    }
}

// --- eviction by taints --------------------------------------------------------------------------

// How long the pod may stay after the taint was added; -1: for ever.
static int64_t tolerated_ns(const struct pod *pod, const struct taint *taint)
{
    int64_t longest = 0;
    list_for_each (toleration, &pod->spec.tolerations) {
        if (!toleration_tolerates(toleration, taint))
            continue;
        if (!toleration->toleration_seconds.present)
            return -1;
        int64_t seconds = toleration->toleration_seconds.value;
        if (seconds > 0 && ns_multiply(seconds, SECOND) > longest)
            longest = ns_multiply(seconds, SECOND);
    }
    return longest;
}

static void check_eviction(void *context, const char *pod_key)
{
    struct node_lifecycle *lifecycle = context;
    struct world *world = lifecycle->world;
    struct world_object *pod = world_find_key(world, KIND_POD, pod_key);
    if (pod == NULL || pod->pod == NULL || pod->on_node == NULL || !world_pod_active(pod))
        return;
    struct world_object *node =
        world_find(world, KIND_NODE, NULL, world_text(pod->json, "spec.nodeName"));
    if (node == NULL || node->node == NULL)
        return;
    int64_t now_ns = loop_now_ns(world->loop), due = INT64_MAX;
    list_for_each (taint, &node->node->spec.taints) {
        if (!text_equal(taint->effect, "NoExecute"))
            continue;
        int64_t stay_ns = tolerated_ns(pod->pod, taint);
        int64_t until = ns_add(taint->time_added != 0 ? taint->time_added : now_ns, stay_ns);
        if (stay_ns >= 0 && until < due)
            due = until;
    }
    if (due == INT64_MAX)
        return;
    if (due > now_ns) {
        work_queue_add_after(lifecycle->evictions, pod_key, ns_subtract(due, now_ns));
        return;
    }
    world_event(world, pod, "Normal", "TaintManagerEviction", "taint-eviction-controller",
                "Marking for deletion Pod");
    world_remove(world, pod, -1, NULL);
}

// --- pods without a Node -------------------------------------------------------------------------

static void collect_pods(void *context, const char *node_name)
{
    struct node_lifecycle *lifecycle = context;
    struct world *world = lifecycle->world;
    if (world_find(world, KIND_NODE, NULL, node_name) != NULL)
        return;
    world_objects pods = world_gather_pods(world, node_name);
    vector_for_each (pod, &pods) {
        if (!world_pod_ended(*pod)) {
            json_t *status = world_copy_status(*pod);
            json_object_set_new(status, "phase", json_string("Failed"));
            world_condition(world, status, "DisruptionTarget", "True", "DeletionByPodGC",
                            "PodGC: node no longer exists");
            world_set_status(world, *pod, status);
        }
        world_remove(world, *pod, 0, NULL);
    }
    vector_free(&pods);
}
