#include "engine/disruption/remove_nodes.h"

#include <assert.h>

#include "engine/disruption/evictions.h"
#include "engine/disruption/planned_moves.h"
#include "engine/explain/plan_builder.h"

#define BATCH_MAX 100 // nodes whose pods are packed together

void remove_command(struct disruption *disruption, enum disruption_reason reason,
                    const struct removal_simulation *removal,
                    struct disruption_candidate *const *candidates, uint32_t count)
{
    assert(count > 0);
    assert(removal_is_possible(removal));
    struct plan *plan = disruption->plan;
    struct plan_disruption *command =
        disruption_command(disruption, reason, CONSOLIDATION_NONE, candidates, count);
    command->replacements.items = arena_allocate_array(plan->arena, removal->claims_count + 1,
                                                       sizeof *command->replacements.items);
    for (uint32_t i = 0; i < removal->claims_count; i++) {
        struct plan_claim *out = &command->replacements.items[command->replacements.count++];
        replacement_build(removal->pass, removal->claims[i], removal->claims[i]->set, plan, out);
        command->savings -= plan_costs_sum(&out->costs) - disruption->problem->catalog.node_cost;
    }
    planned_moves_find(disruption, removal->pass, candidates, count, removal->claims,
                       removal->claims_count, &command->moves);
}

void remove_refuse(struct disruption *disruption, const struct disruption_candidate *candidate,
                   const struct removal_simulation *removal)
{
    assert(!removal_is_possible(removal));
    const char *message = removal_refusal(disruption, removal);
    disruption_note(disruption, EVENT_DISRUPTION_BLOCKED, candidate, message);
    disruption_note_blocked(disruption, candidate, removal->no_pool ? "DIS-227" : "DIS-223",
                            message);
}

bool needs_no_place(const struct disruption_candidate *candidate)
{
    return candidate->reschedulable == 0 && !candidate->holds_placeholders;
}

// Adds the candidate to the set if the pods of all its nodes find places.
static bool join(struct disruption *disruption, bool eventual, candidate_list *together,
                 struct evictions *evictions, struct disruption_candidate *candidate)
{
    if (!evictions_take(evictions, candidate, eventual))
        return false;
    together->items[together->count] = candidate;
    struct removal_simulation removal =
        removal_simulate(disruption, together->items, together->count + 1, false);
    bool possible = removal_is_possible(&removal);
    if (possible) {
        together->count++;
    } else {
        evictions_give_back(evictions, candidate, eventual);
        remove_refuse(disruption, candidate, &removal);
    }
    removal_free(&removal);
    return possible;
}

// True if all nodes that the budgets allow can go at once; the usual case.
static bool take_all(struct disruption *disruption, bool eventual, const candidate_list *list,
                     candidate_list *together)
{
    struct evictions evictions = evictions_create(disruption);
    for (uint32_t i = 0; i < list->count && together->count < BATCH_MAX; i++) {
        struct disruption_candidate *candidate = list->items[i];
        if (needs_no_place(candidate) || candidate->pool->remaining == 0 ||
            !evictions_take(&evictions, candidate, eventual))
            continue;
        candidate->pool->remaining--;
        assert(together->count < list->count);
        together->items[together->count++] = candidate;
    }
    struct removal_simulation removal =
        removal_simulate(disruption, together->items, together->count, false);
    bool possible = removal_is_possible(&removal);
    removal_free(&removal);
    for (uint32_t i = 0; i < together->count && !possible; i++)
        together->items[i]->pool->remaining++;
    together->count = possible ? together->count : 0;
    return possible;
}

// Adds one candidate after the other, without those that cannot go.
static void take_some(struct disruption *disruption, bool eventual, const candidate_list *list,
                      candidate_list *together)
{
    assert(together->count == 0);
    struct evictions evictions = evictions_create(disruption);
    for (uint32_t i = 0; i < list->count && together->count < BATCH_MAX; i++) {
        struct disruption_candidate *candidate = list->items[i];
        if (!needs_no_place(candidate) && candidate->pool->remaining > 0 &&
            join(disruption, eventual, together, &evictions, candidate))
            candidate->pool->remaining--;
    }
}

void remove_nodes(struct disruption *disruption, const struct node_removal *options,
                  const struct candidate_table *table, const candidate_list *list)
{
    assert(options->reason == DISRUPTION_DRIFTED || options->reason == DISRUPTION_EXPIRED);
    candidate_list together = candidate_list_create(disruption, table);
    for (uint32_t i = 0; i < list->count; i++) {
        struct disruption_candidate *candidate = list->items[i];
        if (!needs_no_place(candidate) || candidate->pool->remaining == 0)
            continue;
        candidate->pool->remaining--;
        disruption_command(disruption, options->reason, CONSOLIDATION_NONE, &candidate, 1);
    }
    if (!take_all(disruption, options->eventual, list, &together))
        take_some(disruption, options->eventual, list, &together);
    if (together.count == 0)
        return;
    struct removal_simulation removal =
        removal_simulate(disruption, together.items, together.count, false);
    removal_pack(disruption, &removal);
    if (!removal_is_possible(&removal)) { // restore the set
        removal_free(&removal);
        removal = removal_simulate(disruption, together.items, together.count, false);
    }
    remove_command(disruption, options->reason, &removal, together.items, together.count);
    removal_free(&removal);
}
