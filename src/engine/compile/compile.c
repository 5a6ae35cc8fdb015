#include "engine/compile/compile.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/compile/schedulable_nodes.h"
#include "engine/devices/devices_read.h"
#include "engine/pass/pass_workspace.h"
#include "engine/pods/identity_index.h"
#include "engine/pods/pod_class.h"
#include "engine/pods/spread_defaults.h"
#include "engine/problem/volume_claims.h"
#include "engine/templates/daemons.h"
#include "engine/templates/effective_price.h"
#include "engine/templates/instance_types.h"
#include "engine/templates/overlays.h"
#include "engine/templates/templates.h"
#include "engine/templates/type_table.h"
#include "engine/topology/topology_base.h"
#include "model/tables/kinds.h"

static void name_fixed_dimensions(struct problem *problem)
{
    static const char *const names[DIMENSIONS_FIXED] = {"cpu", "memory", "pods", "nodes"};
    for (uint32_t i = 0; i < DIMENSIONS_FIXED; i++)
        symbols_intern(problem->dimensions.names, names[i]);
}

// Every resource that the snapshot names gets a dimension before the first vector is made.
static void collect_dimensions(struct problem *problem)
{
    const struct snapshot *snapshot = problem->snapshot;
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE_POOL].count; i++)
        problem_add_dimensions(
            problem,
            &((const struct node_pool *)snapshot->objects[KIND_NODE_POOL].items[i])->spec.limits);
    instance_types_add_dimensions(problem);
    overlays_add_dimensions(problem);
    for (uint32_t i = 0; i < problem->nodes.count; i++) {
        problem_add_dimensions(problem, &problem->nodes.items[i].capacity);
        problem_add_dimensions(problem, &problem->nodes.items[i].allocatable);
    }
    templates_add_daemon_dimensions(problem);
    assert(symbols_count(problem->dimensions.names) >= DIMENSIONS_FIXED);
    problem->dimensions.count = symbols_count(problem->dimensions.names);
}

// The snapshot without unnamed objects: those without a name, or without a namespace where the kind
// has one. Copies lists only; the objects stay the snapshot's.
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
                problem_log(problem, NOTE_ERROR, object,
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
    problem->strategy = engine_strategy_of(&snapshot->settings);
    problem->arena = arena_create(65536);
    problem->plan_arena = plan_arena;
    problem->with_movable = with_movable;
    problem->snapshot = named_objects(problem, snapshot);
    problem->catalog.prices = price_terms_of(problem->snapshot);
    problem->catalog.node_cost = problem->catalog.prices.allowance;
    problem->vocabulary = vocabulary_create();
    problem->sets = requirement_sets_create(problem->vocabulary);
    problem->words = symbols_create();
    problem->dimensions.names = symbols_create();
    problem->interned.taint_list_ids = map_create();
    problem->interned.toleration_list_ids = map_create();
    problem->interned.identity_ids = map_create();
    problem->interned.shape_ids = map_create();
    problem->interned.class_ids = map_create();
    problem->topology.group_ids = map_create();
    problem->topology.peer_ids = map_create();
    problem->keys.hostname = vocabulary_key(problem->vocabulary, LABEL_HOSTNAME);
    problem->keys.zone = vocabulary_key(problem->vocabulary, LABEL_ZONE);
    problem->keys.capacity_type = vocabulary_key(problem->vocabulary, LABEL_CAPACITY_TYPE);
    problem->keys.instance_type = vocabulary_key(problem->vocabulary, LABEL_INSTANCE_TYPE);
    name_fixed_dimensions(problem);
    volumes_index(problem);
    problem->nodes = state_nodes_build(problem->arena, problem->snapshot);
    instance_types_learn_keys(problem);
    spread_defaults_read(problem);
    devices_read(problem);
    pods_collect(problem);
    collect_dimensions(problem);
    pods_classify(problem);
    overlays_evaluate(problem);
    templates_build(problem);
    nodes_compile(problem);
    assert(problem->pods.bound_count == problem->nodes.running.count);
    assert(problem->templates.count <= problem->templates.pools_count);
    assert(with_movable || problem->pods.movable_count == 0);
    return problem;
}

void problem_destroy(struct problem *problem)
{
    if (problem == NULL)
        return;
    for (struct type_table *table = problem->catalog.tables; table != NULL; table = table->next)
        type_table_free(table);
    for (uint32_t t = 0; t < problem->templates.count; t++) {
        memo_free(&problem->templates.items[t]->domain_sets);
        memo_free(&problem->templates.items[t]->holding);
    }
    memo_free(&problem->topology.reached);
    requirement_sets_destroy(problem->sets);
    vocabulary_destroy(problem->vocabulary);
    symbols_destroy(problem->words);
    symbols_destroy(problem->dimensions.names);
    map_destroy(problem->interned.taint_list_ids, NULL);
    map_destroy(problem->interned.toleration_list_ids, NULL);
    map_destroy(problem->interned.identity_ids, NULL);
    map_destroy(problem->interned.shape_ids, NULL);
    if (problem->workloads.ids != NULL)
        map_destroy(problem->workloads.ids, NULL);
    vector_free(&problem->workloads.replicas);
    map_destroy(problem->interned.class_ids, NULL);
    map_destroy(problem->topology.group_ids, NULL);
    map_destroy(problem->topology.peer_ids, NULL);
    map_destroy(problem->node_objects.by_name, NULL);
    map_destroy(problem->volumes.claims, NULL);
    map_destroy(problem->volumes.items, NULL);
    map_destroy(problem->volumes.storage_classes, NULL);
    map_destroy(problem->volumes.csi_nodes, NULL);
    map_destroy(problem->topology.namespaces, NULL);
    pass_workspaces_free(problem);
    devices_free(problem);
    topology_base_free(problem);
    identity_index_free(problem);
    overlays_free(problem);
    vector_free(&problem->interned.taint_lists);
    vector_free(&problem->interned.toleration_lists);
    vector_free(&problem->interned.identities);
    vector_free(&problem->interned.shapes);
    vector_for_each (class, &problem->interned.classes)
        vector_free(&(*class)->without);
    vector_free(&problem->interned.classes);
    vector_free(&problem->topology.groups);
    vector_free(&problem->topology.universes);
    vector_free(&problem->volumes.exclusive_uses);
    memo_free(&problem->interned.tolerated);
    memo_free(&problem->interned.tolerated_hard);
    text_free(&problem->scratch);
    text_free(&problem->class_key);
    free(problem->asked.keys);
    vector_free(&problem->notes);
    state_nodes_free(&problem->nodes);
    arena_destroy(problem->arena);
    free(problem);
}
