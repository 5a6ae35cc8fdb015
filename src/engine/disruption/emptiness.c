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
#include "model/schema/condition_types.h"

// The choice, before any command is made.
struct emptiness {
    struct candidate_table table;
    candidate_list eligible;                        // by the predicate, before budgets
    candidate_list taken;                           // within the budgets, in order of merit
    LIST(struct disruption_block) unconsolidatable; // events Unconsolidatable (DIS-140)
};

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

// DIS-132, DIS-142: takes every candidate while its pool has budget left. Its pods of zero cost are
// evicted (DIS-57), within the limits on evictions (DIS-760, DIS-761). Without `evictions` nodes
// with such pods stay.
static void take(struct emptiness *out, const struct map *first, bool is_first, bool asks_pods,
                 struct evictions *evictions)
{
    list_for_each (item, &out->eligible) {
        struct disruption_candidate *candidate = *item;
        struct disruption_pool *pool = candidate->pool;
        bool preferred = first != NULL && map_get(first, candidate->node->meta.name) != NULL;
        bool has_pods = asks_pods && candidate->reschedulable > 0;
        if (preferred != is_first || pool->remaining <= 0 ||
            (has_pods && (evictions == NULL || !evictions_take(evictions, candidate, false))))
            continue;
        assert(out->taken.count < out->eligible.count);
        pool->remaining--;
        out->taken.items[out->taken.count++] = candidate;
    }
}

// `first`: Nodes that are charged to the budgets first, by name; NULL: none.
static struct emptiness choose(struct arena *arena, const struct snapshot *snapshot,
                               const struct candidate_table *table, const struct map *first,
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
    if (first != NULL)
        take(&out, first, true, strategy->counts_evictions, evictions);
    take(&out, first, false, strategy->counts_evictions, evictions);
    return out;
}

// --- the method of a plan ------------------------------------------------------------------------
// DIS-755: pods with an eviction cost of zero do not keep the node, but they need a place.
static void plan_places(struct disruption *disruption, const candidate_list *taken,
                        struct plan_moves *moves)
{
    assert(taken->count > 0);
    uint32_t pods = 0;
    list_for_each (candidate, taken)
        pods += (*candidate)->reschedulable;
    if (pods == 0 || !disruption->strategy->plans_moves)
        return;
    struct removal_simulation removal =
        removal_simulate(disruption, taken->items, taken->count, false);
    planned_moves_find(disruption, removal.pass, taken->items, taken->count, NULL, 0, moves);
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
    struct plan_disruption *command = disruption_command(
        disruption, DISRUPTION_EMPTY, CONSOLIDATION_EMPTY, found.taken.items, found.taken.count);
    plan_places(disruption, &found.taken, &command->moves);
}

// --- a plan of emptiness alone -------------------------------------------------------------------
// The pods of an empty node, and overlaid prices, need a problem.
static bool depends_on_pods_or_overlays(const struct snapshot *snapshot,
                                        const struct emptiness *found)
{
    bool any = found->eligible.count > 0 && snapshot->objects[KIND_NODE_OVERLAY].count > 0;
    list_for_each (candidate, &found->eligible)
        any = any || (*candidate)->reschedulable > 0;
    return any && disruption_strategy_of(&snapshot->settings)->counts_evictions;
}

// The choice of emptiness_decide(). If the snapshot cannot be compiled, `found` stays as it is, and
// no node with pods goes.
static void choose_with_problem(struct arena *arena, const struct snapshot *snapshot,
                                const struct string_list *busy, const struct map *first,
                                struct emptiness *found)
{
    struct plan plan = {.arena = arena};
    const struct disruption_inputs inputs = {.busy = busy};
    struct disruption disruption;
    struct error error = {0};
    if (disruption_begin(&disruption, snapshot, &inputs, &plan, arena, &error)) {
        struct candidate_table all = found->table; // its checks count terminationGracePeriod
        struct candidate_table table = disruption_candidates(&disruption, DISRUPTION_EMPTY, false);
        struct evictions evictions = evictions_create(&disruption);
        *found = choose(arena, snapshot, &table, first, &evictions);
        found->table = all;
    }
    disruption_end(&disruption);
}

static struct emptiness find(struct arena *arena, const struct snapshot *snapshot,
                             const struct string_list *busy, const struct map *first)
{
    const struct candidate_options options = {.reason = DISRUPTION_EMPTY, .busy = busy};
    struct candidate_table table = candidates_build(arena, snapshot, &options);
    struct emptiness out = choose(arena, snapshot, &table, first, NULL);
    if (depends_on_pods_or_overlays(snapshot, &out))
        choose_with_problem(arena, snapshot, busy, first, &out);
    return out;
}

// DIS-772: the node is eligible for a method, but blocked (DIS-34).
static bool is_blocked_but_eligible(const struct disruption_block *block)
{
    const struct node_claim *claim = block->claim;
    if (claim == NULL)
        return false;
    bool bars_drift =
        block->check < CHECK_UNREADABLE_POD || claim->spec.termination_grace_period.text == NULL;
    return condition_is_true(&claim->status.conditions, CONDITION_CONSOLIDATABLE) ||
           (bars_drift && condition_is_true(&claim->status.conditions, CONDITION_DRIFTED));
}

static void note(struct plan *plan, enum event_reason event, const void *object,
                 const char *message)
{
    assert(object != NULL && message != NULL);
    plan->notes.items[plan->notes.count++] = (struct plan_note){NOTE_EVENT, event, message, object};
}

static void note_all(struct plan *plan, const struct emptiness *found)
{
    const struct candidate_table *table = &found->table;
    size_t room =
        (size_t)table->pools.count + table->blocks.count + found->unconsolidatable.count + 1;
    plan->notes.items = arena_allocate_array(plan->arena, room, sizeof *plan->notes.items);
    list_for_each (pool, &table->pools) {
        const char *message = disruption_budget_note(plan->arena, pool, DISRUPTION_EMPTY);
        if (message != NULL && found->eligible.count > 0)
            note(plan, EVENT_DISRUPTION_BLOCKED_POOL, pool->pool, message);
    }
    list_for_each (block, &table->blocks)
        if (is_blocked_but_eligible(block))
            note(plan, EVENT_DISRUPTION_BLOCKED,
                 block->node != NULL ? (const void *)block->node : (const void *)block->claim,
                 block->message);
    list_for_each (block, &found->unconsolidatable)
        note(plan, EVENT_UNCONSOLIDATABLE, block->node, block->message);
    assert(plan->notes.count < room);
}

static struct map *index_checked(const struct command_check *checks, uint32_t count)
{
    struct map *checked = map_create();
    for (uint32_t i = 0; i < count; i++)
        list_for_each (name, &checks[i].nodes)
            map_set(checked, *name, checked);
    return checked;
}

// DIS-262.
static void judge(const candidate_list *taken, struct command_check *checks, uint32_t count)
{
    struct map *names = map_create();
    list_for_each (candidate, taken)
        map_set(names, (*candidate)->node->meta.name, names);
    for (uint32_t i = 0; i < count; i++) {
        struct command_check *check = &checks[i];
        assert(check->reason == DISRUPTION_EMPTY);
        bool valid = check->nodes.count > 0;
        list_for_each (name, &check->nodes)
            valid = valid && map_get(names, *name) != NULL;
        check->kind = valid ? CANCEL_NONE : CANCEL_CHURN;
        check->message =
            valid ? NULL : "the candidate is no longer valid or would violate a budget";
        check->moves.count = 0;
    }
    map_destroy(names, NULL);
}

struct plan *emptiness_plan(const struct snapshot *snapshot, const struct string_list *busy,
                            struct command_check *checks, uint32_t count)
{
    assert(count == 0 || checks != NULL);
    struct arena *arena = arena_create(65536);
    struct plan *plan = arena_allocate(arena, sizeof *plan);
    plan->arena = arena;
    plan->has_disruptions = true;
    struct map *checked = index_checked(checks, count);
    struct emptiness found = find(arena, snapshot, busy, checked);
    struct disruption disruption = {.plan = plan, .arena = arena};
    list_for_each (candidate, &found.taken)
        if (map_get(checked, (*candidate)->node->meta.name) == NULL)
            disruption_command(&disruption, DISRUPTION_EMPTY, CONSOLIDATION_EMPTY, candidate, 1);
    judge(&found.taken, checks, count);
    disruption_add_turn(plan, &found.table, METHOD_EMPTINESS, DISRUPTION_EMPTY,
                        found.eligible.count);
    note_all(plan, &found);
    map_destroy(checked, NULL);
    return plan;
}
