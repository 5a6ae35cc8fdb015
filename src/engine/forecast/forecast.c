#include "engine/forecast/forecast.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vector.h"
#include "engine/engine.h"
#include "engine/forecast/claim_conditions.h"
#include "engine/forecast/forecast_machine.h"
#include "engine/forecast/forecast_round.h"
#include "model/reading/pod.h"
#include "model/reading/state_node_rules.h"
#include "model/schema/condition_types.h"
#include "model/snapshot/snapshot_overlay.h"

// --- the rounds ----------------------------------------------------------------------------------

// Machines that are on their way arrive.
static void finish_launches(struct snapshot *snapshot)
{
    struct map *nodes = map_create();
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE].count; i++) {
        const struct node *node = (const struct node *)snapshot->objects[KIND_NODE].items[i];
        map_set(nodes, node->meta.name, nodes);
        if (!text_is_empty(node->spec.provider_id))
            map_set(nodes, node->spec.provider_id, nodes);
    }
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE_CLAIM].count; i++) {
        const struct node_claim *claim =
            (const struct node_claim *)snapshot->objects[KIND_NODE_CLAIM].items[i];
        const char *name = claim->status.node_name, *provider = claim->status.provider_id;
        bool has_node = (!text_is_empty(name) && map_get(nodes, name) != NULL) ||
                        (!text_is_empty(provider) && map_get(nodes, provider) != NULL) ||
                        map_get(nodes, claim->meta.name) != NULL;
        if (!has_node && !node_claim_is_ending(claim))
            (void)forecast_machine_finish(snapshot, i);
    }
    map_destroy(nodes, NULL);
}

// Time passes: nodes that were there have been quiet for as long as their NodePool asks.
static void rest(struct forecast_state *state)
{
    struct snapshot *snapshot = state->current;
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE_CLAIM].count; i++) {
        const struct node_claim *claim =
            (const struct node_claim *)snapshot->objects[KIND_NODE_CLAIM].items[i];
        const struct node_pool *pool = claim_pool(snapshot, claim);
        if (pool == NULL || pool->spec.replicas.present ||
            pool->spec.disruption.consolidate_after.text == NULL ||
            pool->spec.disruption.consolidate_after.nanoseconds == DURATION_NEVER ||
            map_get(state->born, claim->meta.name) != NULL ||
            !condition_is_true(&claim->status.conditions, CONDITION_INITIALIZED))
            continue;
        claim_conditions_rest(snapshot, i, pool);
    }
}

static struct snapshot *copy_of(const struct snapshot *snapshot)
{
    struct snapshot *copy = snapshot_copy_context(snapshot);
    for (int kind = 0; kind < KIND_COUNT; kind++)
        for (uint32_t i = 0; i < snapshot->objects[kind].count; i++)
            snapshot_add(copy, snapshot->objects[kind].items[i]);
    finish_launches(copy);
    return copy;
}

static bool run_rounds(struct forecast *forecast, struct forecast_state *state, uint32_t rounds_max,
                       struct error *error)
{
    const struct plan_options options = {.disrupt = true};
    bool rested = false;
    forecast->rounds.items = arena_allocate_array(forecast->arena, (size_t)rounds_max + 1,
                                                  sizeof *forecast->rounds.items);
    while (!forecast->complete && forecast->rounds.count < rounds_max) {
        struct plan *plan = engine_plan(state->current, &options, error);
        if (plan == NULL)
            return false;
        bool first = forecast->first == NULL;
        forecast->first = first ? plan : forecast->first;
        bool goes_on =
            forecast_round_apply(state, plan, &forecast->rounds.items[forecast->rounds.count]);
        forecast->rounds.count += goes_on;
        forecast->unplaced = plan->unschedulable.count;
        if (!first)
            plan_destroy(plan);
        forecast->complete = !goes_on && rested;
        if (!rested)
            rest(state);
        rested = true;
    }
    return true;
}

// --- the result ----------------------------------------------------------------------------------

static void add_nodes(struct forecast *forecast, const struct cluster_cost *cost,
                      const struct map *changed, bool all)
{
    list_for_each (line, &cost->nodes) {
        const struct forecast_node *change = map_get(changed, line->name);
        if (change == NULL && !all)
            continue;
        struct forecast_node *node = &forecast->nodes.items[forecast->nodes.count++];
        *node = change != NULL ? *change : (struct forecast_node){.fate = NODE_STAYS};
        node->name = line->name;
        node->node_pool = line->node_pool;
        node->type = line->type;
        node->zone = line->zone;
        node->capacity_type = line->capacity_type;
        node->pods = line->pods;
        node->price = line->price;
    }
}

static int by_fate_and_name(const void *a, const void *b)
{
    const struct forecast_node *x = a, *y = b;
    return x->fate != y->fate ? (x->fate < y->fate ? -1 : 1) : strcmp(x->name, y->name);
}

static void list_nodes(struct forecast *forecast, const struct forecast_state *state)
{
    uint32_t most = forecast->before.nodes.count + forecast->after.nodes.count;
    forecast->nodes.items =
        arena_allocate_array(forecast->arena, most + 1, sizeof *forecast->nodes.items);
    add_nodes(forecast, &forecast->before, state->gone, false);
    add_nodes(forecast, &forecast->after, state->born, true);
    qsort(forecast->nodes.items, forecast->nodes.count, sizeof *forecast->nodes.items,
          by_fate_and_name);
}

static int by_pod(const void *a, const void *b)
{
    const struct object *x = (const struct object *)((const struct forecast_move *)a)->pod;
    const struct object *y = (const struct object *)((const struct forecast_move *)b)->pod;
    return object_compare_names(&x, &y);
}

static void list_moves(struct forecast *forecast, const struct snapshot *snapshot)
{
    struct map *places = map_create();
    char name[600];
    const struct snapshot *end = forecast->end;
    for (uint32_t i = 0; i < end->objects[KIND_POD].count; i++) {
        object_namespaced_name(end->objects[KIND_POD].items[i], name);
        map_set(places, name, (struct object *)(uintptr_t)end->objects[KIND_POD].items[i]);
    }
    forecast->moves.items = arena_allocate_array(
        forecast->arena, snapshot->objects[KIND_POD].count + 1, sizeof *forecast->moves.items);
    for (uint32_t i = 0; i < snapshot->objects[KIND_POD].count; i++) {
        const struct pod *pod = (const struct pod *)snapshot->objects[KIND_POD].items[i];
        object_namespaced_name((const struct object *)pod, name);
        const struct pod *then = map_get(places, name);
        const char *from = text_is_empty(pod->spec.node_name) ? NULL : pod->spec.node_name;
        const char *to =
            then == NULL || text_is_empty(then->spec.node_name) ? NULL : then->spec.node_name;
        if (then != NULL && !text_equal(from, to))
            forecast->moves.items[forecast->moves.count++] = (struct forecast_move){pod, from, to};
    }
    map_destroy(places, NULL);
    qsort(forecast->moves.items, forecast->moves.count, sizeof *forecast->moves.items, by_pod);
}

struct forecast *forecast_create(const struct snapshot *snapshot, uint32_t rounds_max,
                                 struct error *error)
{
    struct arena *arena = arena_create(65536);
    struct forecast *forecast = arena_allocate(arena, sizeof *forecast);
    forecast->arena = arena;
    struct forecast_state state = {
        .arena = arena, .current = copy_of(snapshot), .born = map_create(), .gone = map_create()};
    bool done = run_rounds(forecast, &state, rounds_max, error);
    forecast->end = state.current;
    done = done && cluster_cost_find(arena, snapshot, &forecast->before, error) &&
           cluster_cost_find(arena, forecast->end, &forecast->after, error);
    if (done) {
        list_nodes(forecast, &state);
        list_moves(forecast, snapshot);
    }
    map_destroy(state.born, NULL);
    map_destroy(state.gone, NULL);
    if (done)
        return forecast;
    forecast_destroy(forecast);
    return NULL;
}

void forecast_destroy(struct forecast *forecast)
{
    if (forecast == NULL)
        return;
    plan_destroy((struct plan *)(uintptr_t)forecast->first);
    snapshot_destroy(forecast->end);
    arena_destroy(forecast->arena);
}
