#include "engine/nodes.h"

#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "engine/host_ports.h"
#include "engine/node_terms.h"
#include "engine/templates.h"
#include "engine/volumes.h"

// Labels that anything asks for, as a set, without the hostname. A label that names the same key
// twice (an old key beside a new one) with two values leaves nothing (SCH-192).
static uint32_t asked_labels(struct problem *problem, const struct string_map *labels)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    uint32_t set = SET_EMPTY;
    list_for_each (label, labels) {
        uint32_t key = vocabulary_find_key(problem->vocabulary, label->key);
        if (key == SYMBOL_NONE || key == problem->key_hostname || !problem_is_asked(problem, key))
            continue;
        struct requirement requirement =
            requirement_in(scratch, key, vocabulary_value(problem->vocabulary, label->value));
        set = set_add(problem->sets, set, &requirement);
    }
    return set;
}

// SCH-515: what matchFields read, if any pod has them.
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
    for (uint32_t i = 0; i < problem->node_objects_count; i++) {
        struct node_object *object = &problem->node_objects[i];
        const char *hostname = string_map_get(object->labels, LABEL_HOSTNAME);
        object->has_hostname = hostname != NULL;
        object->set = asked_labels(problem, object->labels);
        object->hostname_value = vocabulary_value(
            problem->vocabulary, hostname != NULL ? hostname : object->node->meta.name);
        object->taints = problem_intern_taints(problem, &object->node->spec.taints);
    }
    for (uint32_t i = 0; i < problem->nodes.count; i++) {
        const struct state_node *state = &problem->nodes.items[i];
        if (state->node == NULL)
            continue;
        uintptr_t object =
            (uintptr_t)map_get(problem->node_objects_by_name, state->node->meta.name);
        if (object != 0)
            problem->node_objects[object - 1].place = i;
    }
}

static uint32_t pool_of(const struct problem *problem, const struct state_node *state)
{
    for (uint32_t t = 0; t < problem->templates_count && state->node_pool != NULL; t++)
        if (strcmp(problem->templates[t]->pool->meta.name, state->node_pool) == 0)
            return t;
    return NONE;
}

static bool has_pod_of(const struct place *place, const struct daemon_set *daemon_set)
{
    for (uint32_t i = 0; i < place->state->pods.count; i++) {
        const struct object *pod = (const struct object *)place->state->pods.items[i];
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

// Ports of bound pods and, as on new nodes (SCH-489), of the DaemonSet pods that will still come;
// upstream forgets these on existing nodes.
static void add_ports(struct problem *problem, struct place *place, const struct daemon *daemons,
                      uint32_t daemons_count)
{
    for (uint32_t i = 0; i < place->state->pods.count; i++) {
        struct host_ports ports = host_ports_of(problem->arena, &place->state->pods.items[i]->spec);
        append_ports(problem, &place->ports, &ports);
    }
    for (uint32_t i = 0; i < daemons_count && !problem->settings->compatibility_upstream; i++)
        if (daemons[i].ports.count > 0 && !has_pod_of(place, daemons[i].daemon_set) &&
            daemon_runs_on(problem, &daemons[i], place->set, place->hostname, place->taints))
            append_ports(problem, &place->ports, &daemons[i].ports);
}

// SCH-147: what the DaemonSets that belong on the node still lack there.
static void subtract_daemons(struct problem *problem, struct place *place, int64_t *free_amounts,
                             const int64_t *bound_daemons, const bool *allocatable,
                             const struct daemon *daemons, uint32_t daemons_count)
{
    int64_t *missing = memory_allocate_array(problem->dimensions, sizeof *missing);
    for (uint32_t i = 0; i < daemons_count; i++)
        if (daemon_runs_on(problem, &daemons[i], place->set, place->hostname, place->taints))
            vector_add(problem, missing, daemons[i].requests);
    for (uint32_t d = 0; d < problem->dimensions; d++) {
        int64_t amount = quantity_subtract(missing[d], bound_daemons[d]);
        if (amount > 0 && allocatable[d])
            free_amounts[d] = quantity_subtract(free_amounts[d], amount);
    }
    free(missing);
}

static void compile_resources(struct problem *problem, struct place *place,
                              const struct daemon *daemons, uint32_t daemons_count)
{
    int64_t *free_amounts = vector_create(problem), *capacity = vector_create(problem);
    int64_t *requests = memory_allocate_array(problem->dimensions, sizeof *requests);
    int64_t *bound_daemons = memory_allocate_array(problem->dimensions, sizeof *bound_daemons);
    bool *allocatable = memory_allocate_array(problem->dimensions, sizeof *allocatable);
    vector_set_map(problem, capacity, &place->state->capacity);
    capacity[DIMENSION_NODES] = 1;
    vector_set_map(problem, free_amounts, &place->state->allocatable);
    list_for_each (entry, &place->state->allocatable)
        allocatable[symbols_find(problem->dimension_names, entry->name)] = true;
    for (uint32_t i = 0; i < place->state->pods.count; i++) {
        CLEANUP_ARENA struct arena *scratch = arena_create(1024);
        const struct pod *pod = place->state->pods.items[i];
        struct resource_map map = pod_requests(scratch, pod);
        memset(requests, 0, problem->dimensions * sizeof *requests);
        vector_set_map(problem, requests, &map);
        for (uint32_t d = 0; d < problem->dimensions; d++)
            if (allocatable[d])
                free_amounts[d] = quantity_subtract(free_amounts[d], requests[d]);
        if (pod_owned_by_daemon_set(pod))
            vector_add(problem, bound_daemons, requests);
    }
    subtract_daemons(problem, place, free_amounts, bound_daemons, allocatable, daemons,
                     daemons_count);
    place->free = free_amounts;
    place->capacity = capacity;
    free(requests);
    free(bound_daemons);
    free(allocatable);
}

void nodes_compile(struct problem *problem)
{
    uint32_t daemons_count;
    const struct daemon *daemons = daemons_compile(problem, &daemons_count);
    compile_objects(problem);
    problem->places =
        arena_allocate_array(problem->arena, problem->nodes.count + 1, sizeof *problem->places);
    for (uint32_t i = 0; i < problem->nodes.count; i++) {
        struct place *place = &problem->places[i];
        place->state = &problem->nodes.items[i];
        place->set = asked_labels(problem, place->state->labels);
        place->hostname = vocabulary_value(problem->vocabulary, place->state->hostname);
        if (place->state->node != NULL)
            place->set = with_node_name(problem, place->set, place->state->node->meta.name);
        place->taints = problem_intern_taints(problem, &place->state->taints);
        place->real_taints = problem_intern_taints(problem, &place->state->real_taints);
        place->pool = pool_of(problem, place->state);
        add_ports(problem, place, daemons, daemons_count);
        volumes_compile_place(problem, place);
        compile_resources(problem, place, daemons, daemons_count);
    }
}
