#include "engine/problem/problem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/placement/pass.h"
#include "engine/pods/identity_index.h"
#include "engine/pods/pod_class.h"
#include "engine/pods/spread_defaults.h"
#include "engine/pods/topology_groups.h"
#include "engine/problem/daemons.h"
#include "engine/problem/instance_types.h"
#include "engine/problem/node_cost.h"
#include "engine/problem/overlays.h"
#include "engine/problem/schedulable_nodes.h"
#include "engine/problem/templates.h"
#include "engine/problem/volumes.h"
#include "engine/topology/topology_base.h"
#include "model/reading/pod.h"

static void name_fixed_dimensions(struct problem *problem)
{
    static const char *const names[DIMENSIONS_FIXED] = {"cpu", "memory", "pods", "nodes"};
    for (uint32_t i = 0; i < DIMENSIONS_FIXED; i++)
        symbols_intern(problem->dimension_names, names[i]);
}

// Every resource that anything in the snapshot names gets a dimension before the first vector is
// made.
static void collect_dimensions(struct problem *problem)
{
    const struct snapshot *snapshot = problem->snapshot;
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE_POOL].count; i++)
        problem_add_dimensions(
            problem,
            &((const struct node_pool *)snapshot->objects[KIND_NODE_POOL].items[i])->spec.limits);
    instance_types_add_dimensions(problem);
    for (uint32_t i = 0; i < problem->nodes.count; i++) {
        problem_add_dimensions(problem, &problem->nodes.items[i].capacity);
        problem_add_dimensions(problem, &problem->nodes.items[i].allocatable);
    }
    templates_add_daemon_dimensions(problem);
    problem->dimensions = symbols_count(problem->dimension_names);
}

// The snapshot without what cannot be spoken of: objects without a name, or without a namespace
// where the kind has one. Lists only; the objects are the snapshot's.
static const struct snapshot *named_objects(struct problem *problem,
                                            const struct snapshot *snapshot)
{
    struct snapshot *usable = arena_allocate(problem->arena, sizeof *usable);
    *usable = *snapshot;
    for (uint32_t kind = 0; kind < KIND_COUNT; kind++) {
        uint32_t count = snapshot->objects[kind].count, kept = 0;
        bool namespaced = kind_get(kind)->namespaced, complete = true;
        for (uint32_t i = 0; i < count && complete; i++) {
            const struct object_meta *meta = &snapshot->objects[kind].items[i]->meta;
            complete =
                meta->name != NULL && meta->uid != NULL && (!namespaced || meta->namespace != NULL);
        }
        if (complete)
            continue;
        usable->objects[kind].items =
            arena_allocate_array(problem->arena, count, sizeof *usable->objects[kind].items);
        for (uint32_t i = 0; i < count; i++) {
            const struct object *object = snapshot->objects[kind].items[i];
            if (object->meta.name == NULL || (namespaced && object->meta.namespace == NULL) ||
                (kind == KIND_POD && object->meta.uid == NULL))
                problem_note(problem, NOTE_ERROR, NULL, object,
                             "ignoring object without name, namespace or uid");
            else
                usable->objects[kind].items[kept++] = object;
        }
        usable->objects[kind].count = kept;
    }
    return usable;
}

struct problem *problem_create(const struct snapshot *snapshot, struct arena *plan_arena,
                               bool with_movable)
{
    struct problem *problem = memory_allocate(sizeof *problem);
    problem->settings = &snapshot->settings;
    problem->arena = arena_create(65536);
    problem->plan_arena = plan_arena;
    problem->with_movable = with_movable;
    problem->snapshot = named_objects(problem, snapshot);
    problem->node_cost = node_cost_of(problem->snapshot);
    problem->vocabulary = vocabulary_create();
    problem->sets = requirement_sets_create(problem->vocabulary);
    problem->words = symbols_create();
    problem->dimension_names = symbols_create();
    problem->taint_list_ids = map_create();
    problem->toleration_list_ids = map_create();
    problem->identity_ids = map_create();
    problem->shape_ids = map_create();
    problem->class_ids = map_create();
    problem->group_ids = map_create();
    problem->peer_ids = map_create();
    problem->key_hostname = vocabulary_key(problem->vocabulary, LABEL_HOSTNAME);
    problem->key_zone = vocabulary_key(problem->vocabulary, LABEL_ZONE);
    problem->key_capacity_type = vocabulary_key(problem->vocabulary, LABEL_CAPACITY_TYPE);
    problem->key_instance_type = vocabulary_key(problem->vocabulary, LABEL_INSTANCE_TYPE);
    name_fixed_dimensions(problem);
    volumes_index(problem);
    problem->nodes = state_nodes_build(problem->arena, problem->snapshot);
    instance_types_learn_keys(problem);
    spread_defaults_read(problem);
    pods_collect(problem);
    collect_dimensions(problem);
    pods_classify(problem);
    overlays_evaluate(problem);
    templates_build(problem);
    nodes_compile(problem);
    return problem;
}

void problem_destroy(struct problem *problem)
{
    if (problem == NULL)
        return;
    for (struct type_table *table = problem->tables; table != NULL; table = table->next)
        type_table_free(table);
    for (uint32_t t = 0; t < problem->templates_count; t++) {
        memo_free(&problem->templates[t]->domain_sets);
        memo_free(&problem->templates[t]->holding);
    }
    memo_free(&problem->reached);
    requirement_sets_destroy(problem->sets);
    vocabulary_destroy(problem->vocabulary);
    symbols_destroy(problem->words);
    symbols_destroy(problem->dimension_names);
    map_destroy(problem->taint_list_ids, NULL);
    map_destroy(problem->toleration_list_ids, NULL);
    map_destroy(problem->identity_ids, NULL);
    map_destroy(problem->shape_ids, NULL);
    if (problem->workload_ids != NULL)
        map_destroy(problem->workload_ids, NULL);
    vector_free(&problem->replicas);
    map_destroy(problem->class_ids, NULL);
    map_destroy(problem->group_ids, NULL);
    map_destroy(problem->peer_ids, NULL);
    map_destroy(problem->node_objects_by_name, NULL);
    map_destroy(problem->volume_claims, NULL);
    map_destroy(problem->volumes, NULL);
    map_destroy(problem->storage_classes, NULL);
    map_destroy(problem->csi_nodes, NULL);
    map_destroy(problem->namespaces, NULL);
    pass_workspaces_free(problem);
    topology_base_free(problem);
    identity_index_free(problem);
    overlays_free(problem);
    vector_free(&problem->taint_lists);
    vector_free(&problem->toleration_lists);
    vector_free(&problem->identities);
    vector_free(&problem->shapes);
    vector_for_each (class, &problem->classes)
        vector_free(&(*class)->without);
    vector_free(&problem->classes);
    vector_free(&problem->groups);
    vector_free(&problem->universes);
    vector_free(&problem->exclusive_uses);
    memo_free(&problem->tolerated);
    memo_free(&problem->tolerated_hard);
    text_free(&problem->scratch);
    text_free(&problem->class_key);
    free(problem->asked);
    vector_free(&problem->notes);
    state_nodes_free(&problem->nodes);
    arena_destroy(problem->arena);
    free(problem);
}

void problem_ask_key(struct problem *problem, uint32_t key)
{
    if (key >= problem->asked_count) {
        uint32_t count = key + 64;
        problem->asked = memory_resize(problem->asked, count);
        memset(problem->asked + problem->asked_count, 0, count - problem->asked_count);
        problem->asked_count = count;
    }
    problem->asked[key] = true;
}

void problem_note(struct problem *problem, int level, const char *reason,
                  const struct object *object, const char *message)
{
    vector_push(
        &problem->notes,
        (struct plan_note){level, reason, arena_copy_string(problem->arena, message), object});
}

const char *problem_copy(struct problem *problem, struct text *text)
{
    const char *copy = arena_copy_string(problem->arena, text->data != NULL ? text->data : "");
    text_free(text);
    return copy;
}

void problem_add_dimensions(struct problem *problem, const struct resource_map *map)
{
    assert(problem->dimensions == 0);
    list_for_each (entry, map)
        symbols_intern(problem->dimension_names, entry->name);
}

int64_t *vector_create(const struct problem *problem)
{
    return arena_allocate_array(problem->arena, problem->dimensions, sizeof(int64_t));
}

void vector_set_map(const struct problem *problem, int64_t *vector, const struct resource_map *map)
{
    list_for_each (entry, map) {
        uint32_t dimension = symbols_find(problem->dimension_names, entry->name);
        if (dimension < problem->dimensions)
            vector[dimension] = entry->value;
    }
}

void vector_add(const struct problem *problem, int64_t *vector, const int64_t *other)
{
    for (uint32_t d = 0; d < problem->dimensions; d++)
        vector[d] = quantity_add(vector[d], other[d]);
}

bool vector_fits(const struct problem *problem, const int64_t *request, const int64_t *total)
{
    for (uint32_t d = 0; d < problem->dimensions; d++)
        if (total[d] < 0 || request[d] > total[d])
            return false;
    return true;
}

static int compare_quantities(const void *a, const void *b)
{
    return strcmp(((const struct resource_quantity *)a)->name,
                  ((const struct resource_quantity *)b)->name);
}

struct resource_map vector_to_map(const struct problem *problem, struct arena *arena,
                                  const int64_t *vector)
{
    struct resource_map map = {0};
    map.items = arena_allocate_array(arena, problem->dimensions, sizeof *map.items);
    for (uint32_t d = 0; d < problem->dimensions; d++)
        if (vector[d] != 0)
            map.items[map.count++] =
                (struct resource_quantity){symbols_text(problem->dimension_names, d), vector[d]};
    qsort(map.items, map.count, sizeof *map.items, compare_quantities);
    return map;
}

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

uint32_t problem_intern_taints(struct problem *problem, const taint_list *taints)
{
    struct text text = {0};
    list_for_each (taint, taints)
        text_format(&text, "%s=%s:%s\n", or_empty(taint->key), or_empty(taint->value),
                    or_empty(taint->effect));
    const char *key = text.data != NULL ? text.data : "";
    uintptr_t id = (uintptr_t)map_get(problem->taint_list_ids, key);
    if (id == 0) {
        taint_list *copy = arena_allocate(problem->arena, sizeof *copy);
        *copy = *taints;
        vector_push(&problem->taint_lists, copy);
        id = problem->taint_lists.count;
        map_set(problem->taint_list_ids, key, (void *)id);
    }
    text_free(&text);
    return (uint32_t)id - 1;
}

uint32_t problem_intern_tolerations(struct problem *problem, const toleration_list *tolerations)
{
    struct text text = {0};
    list_for_each (toleration, tolerations)
        text_format(&text, "%s %s %s %s\n", or_empty(toleration->key),
                    or_empty(toleration->operator), or_empty(toleration->value),
                    or_empty(toleration->effect));
    const char *key = text.data != NULL ? text.data : "";
    uintptr_t id = (uintptr_t)map_get(problem->toleration_list_ids, key);
    if (id == 0) {
        toleration_list *copy = arena_allocate(problem->arena, sizeof *copy);
        *copy = *tolerations;
        vector_push(&problem->toleration_lists, copy);
        id = problem->toleration_lists.count;
        map_set(problem->toleration_list_ids, key, (void *)id);
    }
    text_free(&text);
    return (uint32_t)id - 1;
}

static bool tolerates(struct problem *problem, struct memo *memo, uint32_t tolerations,
                      uint32_t taints, bool hard_only)
{
    const taint_list *list = problem->taint_lists.items[taints];
    if (list->count == 0)
        return true;
    uint32_t known = memo_get(memo, tolerations, taints);
    if (known != MEMO_NONE)
        return known;
    bool all = true;
    list_for_each (taint, list)
        if (!hard_only || !text_equal(taint->effect, "PreferNoSchedule"))
            all = all && tolerations_tolerate(problem->toleration_lists.items[tolerations], taint);
    memo_set(memo, tolerations, taints, all);
    return all;
}

bool problem_tolerates(struct problem *problem, uint32_t tolerations, uint32_t taints)
{
    return tolerates(problem, &problem->tolerated, tolerations, taints, false);
}

bool problem_tolerates_hard(struct problem *problem, uint32_t tolerations, uint32_t taints)
{
    return tolerates(problem, &problem->tolerated_hard, tolerations, taints,
                     !problem->settings->compatibility_upstream);
}

uint32_t problem_split_hostname(struct problem *problem, uint32_t set, uint32_t *hostname)
{
    *hostname = set_find(problem->sets, set, problem->key_hostname);
    return set_remove(problem->sets, set, problem->key_hostname);
}
