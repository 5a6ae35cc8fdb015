#include "engine/forecast/forecast.h"

#include "base/text.h"
#include "engine/engine.h"
#include "engine/forecast/claim_conditions.h"
#include "engine/forecast/forecast_machine.h"
#include "engine/forecast/forecast_result.h"
#include "engine/forecast/forecast_round.h"
#include "engine/problem/disruption_inputs.h"
#include "model/reading/state_node_rules.h"
#include "model/schema/condition_types.h"
#include "model/snapshot/snapshot_lookup.h"
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

// True with *goes_on: the decision does something.
static bool run_round(struct forecast *forecast, struct forecast_state *state,
                      const struct plan_options *options, bool *goes_on, struct error *error)
{
    struct plan *plan = engine_plan(state->current, options, error);
    if (plan == NULL)
        return false;
    bool first = forecast->rounds.count == 0;
    *goes_on = forecast_round_apply(state, plan, &forecast->rounds.items[forecast->rounds.count]);
    forecast->rounds.count += *goes_on;
    forecast->unplaced = plan->unschedulable.count;
    if (first)
        plan_destroy((struct plan *)(uintptr_t)forecast->first);
    if (first)
        forecast->first = plan;
    else
        plan_destroy(plan);
    return true;
}

// Disruption decides while pods are on their way: a node that awaits one is left alone, and which
// nodes have room afterwards depends on where kube-scheduler binds them.
static const char *first_commands_remark(const struct forecast *forecast)
{
    bool arrive = false;
    list_for_each (round, &forecast->rounds) {
        if (arrive && round->commands.count > 0)
            return "pods get a place first: which node goes first, and where to, may depend on "
                   "when and where kube-scheduler binds them";
        if (round->commands.count > 0)
            return NULL;
        arrive = arrive || round->placed + round->launched.count > 0;
    }
    return NULL;
}

static bool run_rounds(struct forecast *forecast, struct forecast_state *state,
                       const struct forecast_options *options, struct error *error)
{
    const struct disruption_inputs inputs = {.paused_pools = options->fresh_drift};
    const struct plan_options early = {.disrupt = true, .inputs = &inputs};
    const struct plan_options later = {.disrupt = true};
    bool goes_on = false, rested = false;
    forecast->rounds.items = arena_allocate_array(forecast->arena, (size_t)options->rounds_max + 1,
                                                  sizeof *forecast->rounds.items);
    if (options->fresh_drift != NULL && options->fresh_drift->count > 0 &&
        !run_round(forecast, state, &early, &goes_on, error))
        return false;
    while (!forecast->complete && forecast->rounds.count < options->rounds_max) {
        if (!run_round(forecast, state, &later, &goes_on, error))
            return false;
        forecast->complete = !goes_on && rested;
        if (!rested)
            rest(state);
        rested = true;
    }
    forecast->remark = first_commands_remark(forecast);
    return true;
}

// --- the whole -----------------------------------------------------------------------------------

static struct forecast *create(struct arena *arena)
{
    struct forecast *forecast = arena_allocate(arena, sizeof *forecast);
    forecast->arena = arena;
    return forecast;
}

// Takes the state over.
static struct forecast *finish(struct forecast *forecast, const struct snapshot *snapshot,
                               struct forecast_state *state, bool done, struct error *error)
{
    forecast->end = state->current;
    done = done && forecast_result_find(forecast, snapshot, state->born, state->gone, error);
    map_destroy(state->born, NULL);
    map_destroy(state->gone, NULL);
    if (done)
        return forecast;
    forecast_destroy(forecast);
    return NULL;
}

struct forecast *forecast_create(const struct snapshot *snapshot,
                                 const struct forecast_options *options, struct error *error)
{
    struct forecast *forecast = create(arena_create(65536));
    struct forecast_state state = {.arena = forecast->arena,
                                   .current = copy_of(snapshot),
                                   .born = map_create(),
                                   .gone = map_create()};
    bool done = run_rounds(forecast, &state, options, error);
    return finish(forecast, snapshot, &state, done, error);
}

struct forecast *forecast_of_plan(const struct snapshot *snapshot, const struct plan *plan,
                                  struct error *error)
{
    struct forecast *forecast = create(arena_create(65536));
    struct forecast_state state = {.arena = forecast->arena,
                                   .current = copy_of(snapshot),
                                   .born = map_create(),
                                   .gone = map_create()};
    forecast->rounds.items =
        arena_allocate_array(forecast->arena, 1, sizeof *forecast->rounds.items);
    forecast->rounds.count = forecast_round_apply(&state, plan, forecast->rounds.items);
    forecast->unplaced = plan->unschedulable.count;
    return finish(forecast, snapshot, &state, true, error);
}

void forecast_destroy(struct forecast *forecast)
{
    if (forecast == NULL)
        return;
    plan_destroy((struct plan *)(uintptr_t)forecast->first);
    snapshot_destroy(forecast->end);
    arena_destroy(forecast->arena);
}
