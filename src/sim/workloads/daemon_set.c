#include "sim/workloads/daemon_set.h"

#include <stdlib.h>
#include <string.h>

#include "model/schema/decode.h"
#include "model/tables/kinds.h"
#include "sim/scheduler/scheduler_filters.h"
#include "sim/scheduler/scheduler_node_affinity.h"
#include "sim/scheduler/scheduler_taints.h"
#include "sim/workloads/revisions.h"
#include "sim/workloads/workload_pods.h"
#include "sim/workloads/workloads_internal.h"
#include "sim/world/world_write.h"

#define LABEL_REVISION  "controller-revision-hash"
#define ROLL_POLL_NS    SECOND // retry for outdated pods that may not go yet
#define STATUS_DELAY_NS SECOND // counts all nodes, so once for a burst of changes

struct daemon_pods { // of one set for one node
    world_objects items;
};

static const char *target_node(const struct world_object *pod);
static struct object *pod_of_template(const struct world_object *set);
static void write_status(struct workloads *workloads, struct world_object *set);

static void node_key(const struct world_object *set, const char *node, char out[WORLD_KEY_MAX * 2])
{
    snprintf(out, WORLD_KEY_MAX * 2, "%s@%s", set->key, node);
}

// --- the pods of a set ---------------------------------------------------------------------------

static bool pods_key(const struct world_object *pod, char out[WORLD_KEY_MAX])
{
    json_t *references = store_path(pod->json, "metadata.ownerReferences"), *reference;
    size_t index;
    json_array_foreach (references, index, reference) {
        if (!json_is_true(json_object_get(reference, "controller")) ||
            !text_equal(world_text(reference, "kind"), "DaemonSet"))
            continue;
        const char *node = target_node(pod);
        snprintf(out, WORLD_KEY_MAX, "%s/%s", world_text(reference, "uid"),
                 node == NULL ? "" : node);
        return true;
    }
    return false;
}

// The pod's node, bound or pinned.
static const char *target_node(const struct world_object *pod)
{
    const char *assigned = world_text(pod->json, "spec.nodeName");
    if (assigned != NULL && assigned[0] != '\0')
        return assigned;
    json_t *terms = store_path(pod->json, "spec.affinity.nodeAffinity."
                                          "requiredDuringSchedulingIgnoredDuringExecution."
                                          "nodeSelectorTerms");
    json_t *fields = json_object_get(json_array_get(terms, 0), "matchFields"), *field;
    size_t index;
    json_array_foreach (fields, index, field) {
        if (text_equal(world_text(field, "key"), "metadata.name"))
            return json_string_value(json_array_get(json_object_get(field, "values"), 0));
    }
    return NULL;
}

void daemon_set_pod_enter(struct workloads *workloads, struct world_object *pod)
{
    char key[WORLD_KEY_MAX], work[WORLD_KEY_MAX * 2];
    if (!pods_key(pod, key))
        return;
    struct daemon_pods *pods = map_ensure(workloads->daemon_pods, key, sizeof *pods);
    vector_push(&pods->items, pod);
    const struct world_object *set = world_controller(workloads->world, pod, KIND_DAEMON_SET);
    const char *node = target_node(pod);
    if (set == NULL || node == NULL)
        return;
    node_key(set, node, work);
    work_queue_add(workloads->daemon_nodes, work);
}

void daemon_set_pod_leave(struct workloads *workloads, struct world_object *pod)
{
    char key[WORLD_KEY_MAX], work[WORLD_KEY_MAX * 2];
    struct daemon_pods *pods = pods_key(pod, key) ? map_get(workloads->daemon_pods, key) : NULL;
    if (pods == NULL)
        return;
    for (uint32_t i = 0; i < pods->items.count; i++)
        if (pods->items.items[i] == pod)
            pods->items.items[i--] = pods->items.items[--pods->items.count];
    if (pods->items.count == 0) {
        map_remove(workloads->daemon_pods, key);
        vector_free(&pods->items);
        free(pods);
    }
    const struct world_object *set = world_controller(workloads->world, pod, KIND_DAEMON_SET);
    const char *node = target_node(pod);
    if (!pod->gone || set == NULL || node == NULL)
        return;
    node_key(set, node, work);
    work_queue_add(workloads->daemon_nodes, work);
}

void daemon_set_pods_free(struct workloads *workloads)
{
    for (struct map_entry *e = map_first(workloads->daemon_pods); e != NULL; e = map_next(e)) {
        struct daemon_pods *pods = map_value(e);
        vector_free(&pods->items);
        free(pods);
    }
    map_destroy(workloads->daemon_pods, NULL);
}

void daemon_set_node_changed(struct workloads *workloads, struct world_object *node)
{
    world_for_each(set, workloads->world, KIND_DAEMON_SET)
    {
        char key[WORLD_KEY_MAX * 2];
        node_key(set, node->name, key);
        work_queue_add(workloads->daemon_nodes, key);
    }
}

// --- one node ------------------------------------------------------------------------------------

// A change of the set: syncs every node, and nodes where it still has pods.
void daemon_set_sync(void *context, const char *key)
{
    struct workloads *workloads = context;
    struct world_object *set = world_find_key(workloads->world, KIND_DAEMON_SET, key);
    if (set == NULL)
        return;
    write_status(workloads, set);
    set = world_find_key(workloads->world, KIND_DAEMON_SET, key);
    if (map_get(workloads->daemon_generations, set->uid) ==
        (void *)(uintptr_t)world_generation(set))
        return; // only pods have changed; they queue their nodes
    map_set(workloads->daemon_generations, set->uid, (void *)(uintptr_t)world_generation(set));
    if (!world_is_deleting(set)) {
        char revision[12];
        workload_template_hash(store_path(set->json, "spec.template"), NULL, revision);
        revisions_keep(workloads, set, revision);
    }
    world_for_each(node, workloads->world, KIND_NODE)
    {
        char work[WORLD_KEY_MAX * 2];
        node_key(set, node->name, work);
        work_queue_add(workloads->daemon_nodes, work);
    }
}

static json_t *toleration(const char *key, const char *effect)
{
    return json_pack("{s:s, s:s, s:s}", "key", key, "operator", "Exists", "effect", effect);
}

// The tolerations of every daemon pod, which must run on troubled nodes.
static void add_tolerations(json_t *spec)
{
    json_t *tolerations = json_object_get(spec, "tolerations");
    if (tolerations == NULL) {
        tolerations = json_array();
        json_object_set_new(spec, "tolerations", tolerations);
    }
    static const char *const taints[][2] = {
        {"node.kubernetes.io/not-ready", "NoExecute"},
        {"node.kubernetes.io/unreachable", "NoExecute"},
        {"node.kubernetes.io/disk-pressure", "NoSchedule"},
        {"node.kubernetes.io/memory-pressure", "NoSchedule"},
        {"node.kubernetes.io/pid-pressure", "NoSchedule"},
        {"node.kubernetes.io/unschedulable", "NoSchedule"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(taints); i++)
        json_array_append_new(tolerations, toleration(taints[i][0], taints[i][1]));
    if (json_is_true(json_object_get(spec, "hostNetwork")))
        json_array_append_new(tolerations,
                              toleration("node.kubernetes.io/network-unavailable", "NoSchedule"));
}

static json_t *child(json_t *object, const char *key, json_t *value)
{
    json_t *present = json_object_get(object, key);
    if (present != NULL) {
        json_decref(value);
        return present;
    }
    json_object_set_new(object, key, value);
    return value;
}

// Required node affinity by name replaces matchFields in every term.
static void pin(json_t *spec, const char *node)
{
    json_t *required =
        child(child(child(spec, "affinity", json_object()), "nodeAffinity", json_object()),
              "requiredDuringSchedulingIgnoredDuringExecution", json_object());
    json_t *terms = child(required, "nodeSelectorTerms", json_array()), *term;
    if (json_array_size(terms) == 0)
        json_array_append_new(terms, json_object());
    size_t index;
    json_array_foreach (terms, index, term) {
        json_object_set_new(term, "matchFields",
                            json_pack("[{s:s, s:s, s:[s]}]", "key", "metadata.name", "operator",
                                      "In", "values", node));
    }
}

static json_t *daemon_pod(const struct world_object *set, const char *node)
{
    char prefix[300], revision[12];
    snprintf(prefix, sizeof prefix, "%s-", set->name);
    json_t *pod = workload_pod(set, NULL, prefix), *spec = json_object_get(pod, "spec");
    workload_template_hash(store_path(set->json, "spec.template"), NULL, revision);
    json_object_set_new(workload_metadata(pod, "labels"), LABEL_REVISION, json_string(revision));
    add_tolerations(spec);
    if (node != NULL)
        pin(spec, node);
    return pod;
}

// The template as a typed pod, for the scheduler's rules. The caller releases it; NULL: it does not
// decode.
static struct object *pod_of_template(const struct world_object *set)
{
    json_t *pod = daemon_pod(set, NULL);
    json_object_set_new(json_object_get(pod, "metadata"), "namespace", json_string(set->namespace));
    struct object *typed = object_decode(pod, kind_get(KIND_POD), DECODE_LENIENT, NULL);
    json_decref(pod);
    return typed;
}

static void qualifies(const struct world_object *set, const struct node *node, bool *runs,
                      bool *may_stay)
{
    *runs = *may_stay = false;
    struct object *typed = pod_of_template(set);
    if (typed == NULL)
        return;
    const struct pod_spec *spec = &((const struct pod *)typed)->spec;
    bool named = spec->node_name == NULL || spec->node_name[0] == '\0' ||
                 text_equal(spec->node_name, node->meta.name);
    if (named && filter_node_affinity_matches(spec, node)) {
        *may_stay = filter_untolerated_taint(spec, node, true) == NULL;
        *runs = filter_untolerated_taint(spec, node, false) == NULL;
    }
    object_release(typed);
}

static int64_t count_unavailable(struct workloads *workloads, const struct world_object *set);

// An outdated pod goes if few enough are unavailable, or if it is unavailable itself.
static bool may_replace(struct workloads *workloads, const struct world_object *set,
                        const struct world_object *pod)
{
    if (text_equal(world_text(set->json, "spec.updateStrategy.type"), "OnDelete"))
        return false;
    if (!world_pod_ready(pod))
        return true;
    int64_t wanted = world_int(set->json, "status.desiredNumberScheduled", 0);
    int64_t limit =
        workload_share(store_path(set->json, "spec.updateStrategy.rollingUpdate.maxUnavailable"),
                       "0%", wanted, true);
    return count_unavailable(workloads, set) < (limit > 0 ? limit : 1);
}

static void look_again(struct workloads *workloads, const struct world_object *set,
                       const struct world_object *node, int64_t delay_ns)
{
    char work[WORLD_KEY_MAX * 2];
    node_key(set, node->name, work);
    work_queue_add_after(workloads->daemon_nodes, work, delay_ns);
}

static void sync_pods(struct workloads *workloads, const struct world_object *set,
                      const struct world_object *node, world_objects *pods)
{
    struct world *world = workloads->world;
    bool runs = false, may_stay = false, has_one = false;
    char revision[12];
    workload_template_hash(store_path(set->json, "spec.template"), NULL, revision);
    if (node != NULL && node->node != NULL && !world_is_deleting(set))
        qualifies(set, node->node, &runs, &may_stay);
    vector_for_each (pod, pods) {
        if (world_is_deleting(*pod)) {
            has_one = true; // its successor comes when it is gone
            continue;
        }
        bool outdated = !text_equal(world_label(*pod, LABEL_REVISION), revision);
        bool goes = world_pod_ended(*pod) || !may_stay || has_one ||
                    (outdated && may_replace(workloads, set, *pod));
        if (outdated && !goes && node != NULL)
            look_again(workloads, set, node, ROLL_POLL_NS);
        has_one = true;
        if (goes && node != NULL) // the garbage collector takes pods of a missing node
            workload_remove_pod(world, set, *pod);
    }
    if (runs && !has_one && !workload_add_pod(world, set, daemon_pod(set, node->name)))
        look_again(workloads, set, node, 5 * SECOND);
}

void daemon_set_node_sync(void *context, const char *work)
{
    struct workloads *workloads = context;
    char key[WORLD_KEY_MAX];
    const char *separator = strrchr(work, '@');
    snprintf(key, sizeof key, "%.*s", (int)(separator - work), work);
    struct world_object *set = world_find_key(workloads->world, KIND_DAEMON_SET, key);
    if (set == NULL || world_is_deleting(set))
        return; // the pods go with the set
    struct world_object *node = world_find(workloads->world, KIND_NODE, NULL, separator + 1);
    snprintf(key, sizeof key, "%s/%s", set->uid, separator + 1);
    const struct daemon_pods *pods = map_get(workloads->daemon_pods, key);
    world_objects copy = {0};
    for (uint32_t i = 0; pods != NULL && i < pods->items.count; i++)
        vector_push(&copy, pods->items.items[i]);
    sync_pods(workloads, set, node, &copy);
    vector_free(&copy);
    work_queue_add_after(workloads->daemon_sets, set->key, STATUS_DELAY_NS);
}

// --- status --------------------------------------------------------------------------------------

static int64_t count_unavailable(struct workloads *workloads, const struct world_object *set)
{
    world_objects pods = world_controlled(workloads->world, set->uid, KIND_POD);
    int64_t unavailable = 0;
    vector_for_each (pod, &pods)
        unavailable += world_is_deleting(*pod) || !world_pod_ready(*pod);
    vector_free(&pods);
    return unavailable;
}

static int64_t count_wanted(struct workloads *workloads, const struct world_object *set)
{
    struct object *typed = pod_of_template(set);
    int64_t wanted = 0;
    if (typed == NULL)
        return 0;
    const struct pod_spec *spec = &((const struct pod *)typed)->spec;
    world_for_each(node, workloads->world, KIND_NODE)
    {
        wanted += node->node != NULL && filter_node_affinity_matches(spec, node->node) &&
                  filter_untolerated_taint(spec, node->node, false) == NULL;
    }
    object_release(typed);
    return wanted;
}

static void write_status(struct workloads *workloads, struct world_object *set)
{
    int64_t wanted = count_wanted(workloads, set), scheduled = 0, ready = 0, updated = 0;
    char revision[12];
    workload_template_hash(store_path(set->json, "spec.template"), NULL, revision);
    world_objects pods = world_controlled(workloads->world, set->uid, KIND_POD);
    vector_for_each (pod, &pods) {
        if (!world_pod_active(*pod))
            continue;
        scheduled++;
        ready += world_pod_ready(*pod);
        updated += text_equal(world_label(*pod, LABEL_REVISION), revision);
    }
    vector_free(&pods);
    const struct {
        const char *key;
        int64_t value;
    } numbers[] = {
        {"desiredNumberScheduled", wanted},
        {"currentNumberScheduled", scheduled < wanted ? scheduled : wanted},
        {"numberMisscheduled", scheduled > wanted ? scheduled - wanted : 0},
        {"numberReady", ready},
        {"numberAvailable", ready},
        {"numberUnavailable", wanted > ready ? wanted - ready : 0},
        {"updatedNumberScheduled", updated},
        {"observedGeneration", world_generation(set)},
    };
    json_t *status = world_copy_status(set);
    for (size_t i = 0; i < ARRAY_LENGTH(numbers); i++)
        json_object_set_new(status, numbers[i].key, json_integer(numbers[i].value));
    world_set_status(workloads->world, set, status);
}
