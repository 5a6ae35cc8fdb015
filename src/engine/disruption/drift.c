// Drifted nodes of dynamic pools (DIS-222 to DIS-227).
#include "engine/disruption/drift.h"

#include <stdlib.h>
#include <string.h>

#include "engine/disruption/eligibility.h"
#include "engine/disruption/evictions.h"
#include "engine/disruption/planned_moves.h"
#include "engine/disruption/removal_simulation.h"
#include "engine/explain/plan_builder.h"

#define BATCH_MAX 100 // nodes whose pods are packed together

static int64_t drifted_since(const struct disruption_candidate *candidate)
{
    return condition_find(&candidate->claim->status.conditions, "Drifted")->last_transition_time;
}

int compare_drift_times(const void *a, const void *b)
{
    const struct disruption_candidate *x = *(struct disruption_candidate *const *)a;
    const struct disruption_candidate *y = *(struct disruption_candidate *const *)b;
    if (drifted_since(x) != drifted_since(y))
        return drifted_since(x) < drifted_since(y) ? -1 : 1;
    return strcmp(x->node->meta.name, y->node->meta.name);
}

// Those without pods that would have to move, then the longest drifted.
static int compare_drift(const void *a, const void *b)
{
    const struct disruption_candidate *x = *(struct disruption_candidate *const *)a;
    const struct disruption_candidate *y = *(struct disruption_candidate *const *)b;
    if ((x->reschedulable == 0) != (y->reschedulable == 0))
        return x->reschedulable == 0 ? -1 : 1;
    return compare_drift_times(a, b);
}

static candidate_list find_drifted(struct disruption *disruption,
                                   const struct candidate_table *table)
{
    candidate_list list = candidate_list_create(disruption, table);
    list_for_each (candidate, &table->candidates)
        if (!candidate->pool->pool->spec.replicas.present && candidate_is_drifted(candidate) &&
            !disruption_is_paused(disruption, candidate, true))
            list.items[list.count++] = candidate;
    qsort(list.items, list.count, sizeof *list.items, compare_drift);
    return list;
}

static void add_command(struct disruption *disruption, enum disruption_reason reason,
                        const struct removal_simulation *removal,
                        struct disruption_candidate *const *candidates, uint32_t count)
{
    struct plan *plan = disruption->plan;
    struct plan_disruption *command =
        disruption_command(disruption, reason, CONSOLIDATION_NONE, candidates, count);
    command->replacements.items = arena_allocate_array(plan->arena, removal->claims_count + 1,
                                                       sizeof *command->replacements.items);
    for (uint32_t i = 0; i < removal->claims_count; i++) {
        struct plan_claim *out = &command->replacements.items[command->replacements.count++];
        replacement_build(removal->pass, removal->claims[i], removal->claims[i]->set, plan, out);
        command->savings -= out->price;
    }
    planned_moves_find(disruption, removal->pass, candidates, count, removal->claims,
                       removal->claims_count, &command->moves);
}

// DIS-223.
static void refuse(struct disruption *disruption, const struct disruption_candidate *candidate,
                   const struct removal_simulation *removal)
{
    const char *message = removal_refusal(disruption, removal);
    disruption_note(disruption, "DisruptionBlocked", candidate, message);
    disruption_note_blocked(disruption, candidate, removal->no_pool ? "DIS-227" : "DIS-223",
                            message);
}

// As upstream does: one node, the first that can go (DIS-223).
static void replace_first(struct disruption *disruption, const candidate_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i]->pool->remaining == 0)
            continue;
        struct removal_simulation removal = removal_simulate(disruption, &list->items[i], 1, false);
        bool possible = removal_is_possible(&removal), failed = removal.no_pool;
        if (possible)
            add_command(disruption, DISRUPTION_DRIFTED, &removal, &list->items[i], 1);
        else
            refuse(disruption, list->items[i], &removal);
        removal_free(&removal);
        for (uint32_t j = i + 1; failed && j < list->count; j++)
            if (list->items[j]->pool->remaining > 0)
                disruption_note_blocked(disruption, list->items[j], "DIS-227",
                                        "Creating scheduler, no nodepools found");
        if (possible || failed) // DIS-227
            return;
    }
}

bool needs_no_place(const struct disruption_candidate *candidate)
{
    return candidate->reschedulable == 0 && !candidate->holds_placeholders;
}

// Adds the candidate to those that go together if the pods of all find places.
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
        refuse(disruption, candidate, &removal);
    }
    removal_free(&removal);
    return possible;
}

// Whether all that the budgets allow can go at once; mostly they can.
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

// One after the other, without those that cannot go.
static void take_some(struct disruption *disruption, bool eventual, const candidate_list *list,
                      candidate_list *together)
{
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
    if (!removal_is_possible(&removal)) { // then as it was
        removal_free(&removal);
        removal = removal_simulate(disruption, together.items, together.count, false);
    }
    add_command(disruption, options->reason, &removal, together.items, together.count);
    removal_free(&removal);
}

void drift_decide(struct disruption *disruption)
{
    struct candidate_table table = disruption_candidates(disruption, DISRUPTION_DRIFTED, true);
    candidate_list list = find_drifted(disruption, &table);
    disruption_turn(disruption, METHOD_DRIFT, DISRUPTION_DRIFTED, list.count);
    if (!disruption->better) {
        replace_first(disruption, &list);
        return;
    }
    remove_nodes(disruption, &(struct node_removal){.reason = DISRUPTION_DRIFTED, .eventual = true},
                 &table, &list);
}
