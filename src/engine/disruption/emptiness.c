#include "engine/disruption/emptiness.h"

#include <assert.h>

#include "base/map.h"
#include "engine/disruption/disruption_candidates.h"
#include "engine/disruption/eligibility.h"
#include "engine/disruption/evictions.h"
#include "engine/disruption/planned_moves.h"
#include "engine/disruption/removal_simulation.h"
#include "engine/disruption/strategy.h"
#include "engine/problem/state_node.h"

// LIF-245. Static pools and disabled consolidation are reported first.
static const char *placeholders_keep(struct arena *arena, const struct snapshot *snapshot,
                                     const struct disruption_candidate *candidate)
{
    const char *name = candidate->node->meta.name;
    if (candidate->pool->pool->spec.replicas.present ||
        !string_list_has(&snapshot->buffer_nodes, name))
        return NULL;
    return arena_format(arena, "Node \"%s\" has buffer pods", name);
}

// DIS-132, DIS-142: every candidate while its pool has budget left. Pods that cost nothing are
// evicted with it (DIS-57): what they ask for with all others is looked at (DIS-760, DIS-761);
// unless that can be asked, they stay.
static void take(struct emptiness *out, const struct map *first, bool turn, bool asks_pods,
                 struct evictions *evictions)
{
    list_for_each (candidate, &out->eligible) {
        struct disruption_pool *pool = (*candidate)->pool;
        bool preferred = map_get(first, (*candidate)->node->meta.name) != NULL;
        bool has_pods = asks_pods && (*candidate)->reschedulable > 0;
        if (preferred != turn)
            continue;
        if (pool->remaining > 0 &&
            (!has_pods || (evictions != NULL && evictions_take(evictions, *candidate, false)))) {
            assert(out->taken.count < out->eligible.count);
            pool->remaining--;
            out->taken.items[out->taken.count++] = *candidate;
        } else {
            out->refused = true;
        }
    }
}

static struct emptiness choose(struct arena *arena, const struct snapshot *snapshot,
                               const struct candidate_table *table, const struct string_list *first,
                               struct evictions *evictions)
{
    struct emptiness out = {.table = *table};
    uint32_t count = out.table.candidates.count;
    out.eligible.items = arena_allocate_array(arena, count + 1, sizeof *out.eligible.items);
    out.taken.items = arena_allocate_array(arena, count + 1, sizeof *out.taken.items);
    out.unconsolidatable.items =
        arena_allocate_array(arena, count + 1, sizeof *out.unconsolidatable.items);
    const struct disruption_strategy *strategy = disruption_strategy_of(&snapshot->settings);
    list_for_each (candidate, &out.table.candidates) {
        const char *message;
        bool wanted = emptiness_is_eligible(arena, candidate, &message);
        if (message == NULL)
            message = placeholders_keep(arena, snapshot, candidate);
        if (wanted && message == NULL)
            out.eligible.items[out.eligible.count++] = candidate;
        else if (message != NULL && (strategy->reports_disabled_pools ||
                                     !consolidation_is_disabled(candidate->pool->pool))) // DIS-772
            out.unconsolidatable.items[out.unconsolidatable.count++] =
                (struct disruption_block){candidate->node, candidate->claim, CHECK_PASSED, message};
    }
    struct map *chosen = map_create();
    for (uint32_t i = 0; first != NULL && i < first->count; i++)
        map_set(chosen, first->items[i], chosen);
    take(&out, chosen, true, strategy->counts_evictions, evictions);
    take(&out, chosen, false, strategy->counts_evictions, evictions);
    map_destroy(chosen, NULL);
    return out;
}

// The pods of an empty node, and overlaid prices, take more than the candidates to judge.
static bool depends_on_pods_or_overlays(const struct snapshot *snapshot,
                                        const struct emptiness *found)
{
    bool any = found->eligible.count > 0 && snapshot->objects[KIND_NODE_OVERLAY].count > 0;
    list_for_each (candidate, &found->eligible)
        any = any || (*candidate)->reschedulable > 0;
    return any && disruption_strategy_of(&snapshot->settings)->counts_evictions;
}

// As emptiness_decide() does it. Where no problem can be made of the snapshot `found` stands, and
// no node with pods goes.
static void choose_with_problem(struct arena *arena, const struct snapshot *snapshot,
                                const struct string_list *busy, const struct string_list *first,
                                struct emptiness *found)
{
    struct plan plan = {.arena = arena};
    const struct disruption_inputs inputs = {.busy = busy};
    struct disruption disruption;
    struct error error = {0};
    if (disruption_begin(&disruption, snapshot, &inputs, &plan, arena, &error)) {
        struct candidate_table all = found->table; // here a grace period waives what bars nodes
        struct candidate_table table = disruption_candidates(&disruption, DISRUPTION_EMPTY, false);
        struct evictions evictions = evictions_create(&disruption);
        *found = choose(arena, snapshot, &table, first, &evictions);
        found->table = all;
        list_for_each (candidate, &table.candidates)
            candidate->state = NULL; // ends with the problem
    }
    disruption_end(&disruption);
}

struct emptiness emptiness_find(struct arena *arena, const struct snapshot *snapshot,
                                const struct string_list *busy, const struct string_list *first)
{
    const struct candidate_options options = {.reason = DISRUPTION_EMPTY, .busy = busy};
    struct candidate_table table = candidates_build(arena, snapshot, &options);
    struct emptiness out = choose(arena, snapshot, &table, first, NULL);
    if (depends_on_pods_or_overlays(snapshot, &out))
        choose_with_problem(arena, snapshot, busy, first, &out);
    return out;
}

// DIS-755: pods whose eviction costs nothing do not keep the node, but need a place all the same.
static void plan_places(struct disruption *disruption,
                        struct disruption_candidate *const *candidates, uint32_t count,
                        struct plan_moves *moves)
{
    assert(count > 0);
    uint32_t pods = 0;
    for (uint32_t i = 0; i < count; i++)
        pods += candidates[i]->reschedulable;
    if (pods == 0 || !disruption->strategy->plans_moves)
        return;
    struct removal_simulation removal = removal_simulate(disruption, candidates, count, false);
    planned_moves_find(disruption, removal.pass, candidates, count, NULL, 0, moves);
    removal_free(&removal);
}

void emptiness_decide(struct disruption *disruption)
{
    struct candidate_table table = disruption_candidates(disruption, DISRUPTION_EMPTY, false);
    struct evictions evictions = evictions_create(disruption);
    struct emptiness found =
        choose(disruption->arena, disruption->problem->snapshot, &table, NULL, &evictions);
    list_for_each (block, &found.unconsolidatable)
        problem_event(disruption->problem, EVENT_UNCONSOLIDATABLE,
                      (const struct object *)block->node, block->message);
    if (found.taken.count == 0)
        return;
    struct disruption_candidate *const *taken =
        (struct disruption_candidate *const *)(void *)found.taken.items;
    struct plan_disruption *command = disruption_command(
        disruption, DISRUPTION_EMPTY, CONSOLIDATION_EMPTY, taken, found.taken.count);
    plan_places(disruption, taken, found.taken.count, &command->moves);
}
