#include "engine/compile/schedulable_nodes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "engine/devices/device_bounds.h"
#include "engine/devices/device_nodes.h"
#include "engine/devices/extended_resources.h"
#include "engine/pods/classes.h"
#include "engine/problem/asked_keys.h"
#include "engine/problem/host_ports.h"
#include "engine/problem/node_terms.h"
#include "engine/problem/volume_limits.h"
#include "engine/templates/daemons.h"
#include "engine/templates/templates.h"
#include "model/reading/pod.h"

#define KEYS_KNOWN 64

// Label keys of the previous Node. Most Nodes have the same key texts in the same order.
struct label_keys {
    struct {
        const char *text;
        uint32_t key; // SYMBOL_NONE: nothing asks for it
    } items[KEYS_KNOWN];
};

static uint32_t asked_key(const struct problem *problem, struct label_keys *known, uint32_t index,
                          const char *text)
{
    if (index < KEYS_KNOWN && known->items[index].text == text)
        return known->items[index].key;
    uint32_t key = vocabulary_find_key(problem->vocabulary, text);
    if (key == problem->keys.hostname || (key != SYMBOL_NONE && !problem_is_asked(problem, key)))
        key = SYMBOL_NONE;
    if (index < KEYS_KNOWN)
        known->items[index] = (__typeof__(known->items[index])){text, key};
    return key;
}

// The asked labels as a set, without the hostname. If two labels name one key (an old key beside a
// new one) with different values, the set allows no value (SCH-192).
static uint32_t asked_labels(struct problem *problem, const struct string_map *labels,
                             struct label_keys *known)
{
    uint32_t set = SET_EMPTY;
    for (uint32_t i = 0; i < labels->count; i++) {
        uint32_t key = asked_key(problem, known, i, labels->items[i].key);
        if (key == SYMBOL_NONE)
            continue;
        uint32_t value = vocabulary_value(problem->vocabulary, labels->items[i].value);
        struct requirement requirement = {.key = key, .count = 1, .values = &value};
        set = set_add(problem->sets, set, &requirement);
    }
    return set;
}

// SCH-515: adds the Node's name for matchFields, if any pod has them.
static uint32_t with_node_name(struct problem *problem, uint32_t set, const char *name)
{
    uint32_t key = vocabulary_find_key(problem->vocabulary, KEY_NODE_NAME);
    if (key == SYMBOL_NONE || !problem_is_asked(problem, key))
        return set;
    CLEANUP_ARENA struct arena *scratch = arena_create(256);
    struct requirement requirement =
        requirement_in(scratch, key, vocabulary_value(problem->vocabulary, name));
    return set_add(problem->sets, set, &requirement);
}

static void compile_objects(struct problem *problem)
{
    struct label_keys known = {0};
    for (uint32_t i = 0; i < problem->node_objects.count; i++) {
        struct node_object *object = &problem->node_objects.items[i];
        const char *hostname = string_map_get(object->labels, LABEL_HOSTNAME);
        object->has_hostname = hostname != NULL;
        object->set = asked_labels(problem, object->labels, &known);
        object->hostname_value = vocabulary_value(
            problem->vocabulary, hostname != NULL ? hostname : object->node->meta.name);
        object->taints = problem_intern_taints(problem, &object->node->spec.taints);
    }
}

static uint32_t pool_of(const struct problem *problem, const struct state_node *state)
{
    for (uint32_t t = 0; t < problem->templates.count && state->node_pool != NULL; t++)
        if (strcmp(problem->templates.items[t]->pool->meta.name, state->node_pool) == 0)
            return t;
    return NONE;
}

static bool has_pod_of(const struct schedulable_node *node, const struct daemon_set *daemon_set)
{
    for (uint32_t i = 0; i < node->state->pods.count; i++) {
        const struct object *pod = (const struct object *)node->state->pods.items[i];
        const struct owner_reference *owner = object_owner(pod, "apps/v1", "DaemonSet");
        if (owner != NULL && strcmp(owner->name, daemon_set->meta.name) == 0 &&
            text_equal(pod->meta.namespace, daemon_set->meta.namespace))
            return true;
    }
    return false;
}

static void append_ports(struct problem *problem, struct host_ports *to,
                         const struct host_ports *ports)
{
    if (ports->count == 0)
        return;
    struct host_port *items =
        arena_allocate_array(problem->arena, to->count + ports->count, sizeof *items);
    if (to->count > 0)
        memcpy(items, to->items, to->count * sizeof *items);
    memcpy(items + to->count, ports->items, ports->count * sizeof *items);
    to->items = items;
    to->count += ports->count;
}

// The shape of a pod's class on the node; NULL: the pod has no class or is set aside.
static const struct shape *shape_at(const struct problem *problem,
                                    const struct schedulable_node *node, uint32_t pod)
{
    assert(pod < node->state->pods.count);
    assert(node->state->running[pod] < problem->pods.bound_count);
    uint32_t class = problem->pods.bound[node->state->running[pod]].class;
    return class != NONE && !class_at(problem, class)->aside
               ? shape_of(problem, class_at(problem, class))
               : NULL;
}

// Ports of bound pods and of DaemonSet pods that are still to come, as on new nodes (SCH-489).
// Upstream ignores the latter on existing nodes.
static void add_ports(struct problem *problem, struct schedulable_node *node,
                      const struct daemon *daemons, uint32_t daemons_count)
{
    for (uint32_t i = 0; i < node->state->pods.count; i++) {
        const struct shape *shape = shape_at(problem, node, i);
        if (problem->pods.bound[node->state->running[i]].aside != NULL)
            continue;
        struct host_ports ports =
            shape != NULL ? shape->ports
                          : host_ports_of(problem->arena, &node->state->pods.items[i]->spec);
        append_ports(problem, &node->ports, &ports);
    }
    for (uint32_t i = 0; i < daemons_count && problem->strategy->filters_as_scheduler; i++)
        if (daemons[i].ports.count > 0 && !has_pod_of(node, daemons[i].daemon_set) &&
            daemon_runs_on(problem, &daemons[i], node->set, node->hostname, node->taints))
            append_ports(problem, &node->ports, &daemons[i].ports);
}

// SCH-147: subtracts what the node's DaemonSets still need there.
static void subtract_daemons(struct problem *problem, struct schedulable_node *node,
                             int64_t *free_amounts, const int64_t *bound_daemons,
                             const bool *allocatable, const struct daemon *daemons,
                             uint32_t daemons_count)
{
    int64_t *missing = memory_allocate_array(problem->dimensions.count, sizeof *missing);
    for (uint32_t i = 0; i < daemons_count; i++)
        if (daemon_runs_on(problem, &daemons[i], node->set, node->hostname, node->taints))
            vector_add(problem, missing, daemons[i].requests);
    for (uint32_t d = 0; d < problem->dimensions.count; d++) {
        int64_t amount = quantity_subtract(missing[d], bound_daemons[d]);
        if (amount > 0 && allocatable[d])
            free_amounts[d] = quantity_subtract(free_amounts[d], amount);
    }
    free(missing);
}

struct resources {           // of one node, while it is compiled
    int64_t *free, *daemons; // the latter: of bound DaemonSet pods
    bool *allocatable;       // by dimension: the node has any
};

static void subtract_pod(struct problem *problem, struct resources *resources,
                         const int64_t *requests)
{
    for (uint32_t d = 0; d < problem->dimensions.count; d++)
        if (resources->allocatable[d])
            resources->free[d] = quantity_subtract(resources->free[d], requests[d]);
}

static void subtract_pods(struct problem *problem, const struct schedulable_node *node,
                          struct resources *resources, struct arena *scratch)
{
    for (uint32_t i = 0; i < node->state->pods.count; i++) {
        const struct shape *shape = shape_at(problem, node, i);
        if (shape != NULL) { // a DaemonSet's pod is never queued, so it has no shape
            subtract_pod(problem, resources, shape->requests);
            continue;
        }
        const struct pod *pod = node->state->pods.items[i];
        struct resource_map map = requests_without_extended(problem, scratch, pod);
        int64_t *requests =
            arena_allocate_array(scratch, problem->dimensions.count, sizeof *requests);
        vector_set_map(problem, requests, &map);
        subtract_pod(problem, resources, requests);
        if (pod_owned_by_daemon_set(pod))
            vector_add(problem, resources->daemons, requests);
    }
}

static void compile_resources(struct problem *problem, struct schedulable_node *node,
                              const struct daemon *daemons, uint32_t daemons_count,
                              struct arena *scratch)
{
    int64_t *capacity = vector_create(problem);
    struct resources resources = {
        vector_create(problem),
        arena_allocate_array(scratch, problem->dimensions.count, sizeof *resources.daemons),
        arena_allocate_array(scratch, problem->dimensions.count, sizeof *resources.allocatable)};
    vector_set_map(problem, capacity, &node->state->capacity);
    capacity[DIMENSION_NODES] = 1;
    vector_set_map(problem, resources.free, &node->state->allocatable);
    list_for_each (entry, &node->state->allocatable)
        resources.allocatable[symbols_find(problem->dimensions.names, entry->name)] = true;
    subtract_pods(problem, node, &resources, scratch);
    subtract_daemons(problem, node, resources.free, resources.daemons, resources.allocatable,
                     daemons, daemons_count);
    devices_set_node(problem, (uint32_t)(node->state - problem->nodes.items), resources.free);
    node->free = resources.free;
    node->capacity = capacity;
}

// The Node's compiled labels serve its state node, too, if both have the same labels.
static uint32_t set_of(struct problem *problem, const struct state_node *state)
{
    struct label_keys known = {0};
    if (state->node == NULL)
        return asked_labels(problem, state->labels, &known);
    const struct node_object *object =
        &problem->node_objects.items[problem_node_object(problem, state->node)];
    assert(object < problem->node_objects.items + problem->node_objects.count);
    uint32_t set = state->labels == object->labels ? object->set
                                                   : asked_labels(problem, state->labels, &known);
    return with_node_name(problem, set, state->node->meta.name);
}

void nodes_compile(struct problem *problem)
{
    assert(problem->schedulable_nodes == NULL);
    uint32_t daemons_count;
    const struct daemon *daemons = daemons_compile(problem, &daemons_count);
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    compile_objects(problem);
    device_nodes_compile(problem);
    problem->schedulable_nodes = arena_allocate_array(problem->arena, problem->nodes.count + 1,
                                                      sizeof *problem->schedulable_nodes);
    for (uint32_t i = 0; i < problem->nodes.count; i++) {
        struct schedulable_node *node = &problem->schedulable_nodes[i];
        node->state = &problem->nodes.items[i];
        node->hostname = vocabulary_value(problem->vocabulary, node->state->hostname);
        node->set = set_of(problem, node->state);
        node->taints = problem_intern_taints(problem, &node->state->taints);
        node->real_taints = problem_intern_taints(problem, &node->state->real_taints);
        node->pool = pool_of(problem, node->state);
        add_ports(problem, node, daemons, daemons_count);
        volumes_compile_node(problem, node);
        compile_resources(problem, node, daemons, daemons_count, scratch);
        arena_reset(scratch);
    }
}
