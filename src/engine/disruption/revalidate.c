#include "engine/disruption/revalidate.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/map.h"
#include "engine/disruption/disruption_candidates.h"
#include "engine/disruption/eligibility.h"
#include "engine/disruption/evictions.h"
#include "engine/disruption/expiry.h"
#include "engine/disruption/planned_moves.h"
#include "engine/disruption/removal_misfits.h"
#include "engine/disruption/removal_simulation.h"
#include "engine/disruption/remove_nodes.h"
#include "engine/problem/problem.h"
#include "engine/templates/templates.h"

struct revalidation {
    struct disruption disruption;
    struct map *candidates; // struct disruption_candidate by the Node's name
    int64_t *taken;         // by pool of the table: nodes that checks have charged to the budgets
    struct evictions evictions; // what the checks need of PodDisruptionBudgets and workloads
    candidate_list accepted;    // of valid checks with a simulation
    uint32_t accepted_claims;   // their replacements
    bool fits_together;         // all of consolidation's commands together, as they were decided
};

static void index_candidates(struct revalidation *revalidation)
{
    struct disruption *disruption = &revalidation->disruption;
    struct candidate_table table = disruption_candidates(disruption, DISRUPTION_DRIFTED, true);
    assert(table.candidates.items == disruption->table.candidates.items);
    revalidation->accepted = candidate_list_create(disruption, &table);
    revalidation->taken =
        arena_allocate_array(disruption->arena, table.pools.count + 1, sizeof *revalidation->taken);
    list_for_each (candidate, &disruption->table.candidates)
        map_set(revalidation->candidates, candidate->node->meta.name, candidate);
}

static bool is_drift(const struct command_check *check)
{
    return check->reason == DISRUPTION_DRIFTED;
}

// The predicate of the deciding method.
static bool is_wanted(struct revalidation *revalidation, const struct command_check *check,
                      const struct disruption_candidate *candidate)
{
    struct arena *arena = revalidation->disruption.arena;
    const char *message;
    if (is_drift(check)) // or expiry, which uses the same reason (DIS-762)
        return candidate_is_drifted(candidate) ||
               (candidate->blocked == NULL &&
                revalidation->disruption.strategy->replaces_expiring &&
                expiry_is_near(candidate->claim, revalidation->disruption.snapshot->time));
    if (candidate->blocked != NULL)
        return false; // graceful disruption only: DIS-34
    return check->reason == DISRUPTION_EMPTY
               ? emptiness_is_eligible(arena, candidate, &message)
               : consolidation_is_eligible(arena, candidate, &message);
}

static bool reject(struct command_check *check, enum cancel_kind kind, const char *message)
{
    assert(kind != CANCEL_NONE && message != NULL);
    check->kind = kind;
    check->message = message;
    return false;
}

// A deletion of several nodes goes on without those that cannot go any more, as long as half of
// them can: each pod that comes meanwhile would have all of them wait otherwise.
static bool may_leave_out(const struct revalidation *revalidation,
                          const struct command_check *check)
{
    return revalidation->disruption.strategy->confirms_together &&
           check->reason == DISRUPTION_UNDERUTILIZED && check->replacements == 0 &&
           2 * (check->left_out.count + 1) <= check->nodes.count;
}

static void leave_out(struct revalidation *revalidation, struct command_check *check,
                      const char *node, enum cancel_kind kind)
{
    struct arena *arena = revalidation->disruption.arena;
    check->left_out_kind = kind;
    if (check->left_out.items == NULL)
        check->left_out.items =
            arena_allocate_array(arena, check->nodes.count, sizeof *check->left_out.items);
    check->left_out.items[check->left_out.count++] = arena_copy_string(arena, node);
}

static void drop_candidate(candidate_list *list, uint32_t index)
{
    memmove(&list->items[index], &list->items[index + 1],
            (--list->count - index) * sizeof *list->items);
}

// DIS-263 step 1. Candidates in the order of the table, as at the decision.
static bool find_candidates(struct revalidation *revalidation, struct command_check *check,
                            candidate_list *list)
{
    struct disruption *disruption = &revalidation->disruption;
    uint32_t missing = 0;
    list_for_each (name, &check->nodes) {
        struct disruption_candidate *candidate = map_get(revalidation->candidates, *name);
        if (candidate != NULL && is_wanted(revalidation, check, candidate))
            list->items[list->count++] = candidate;
        else if (may_leave_out(revalidation, check))
            leave_out(revalidation, check, *name, CANCEL_CHURN);
        else
            missing++;
    }
    if (missing == 0)
        return true;
    return reject(
        check, CANCEL_CHURN,
        arena_format(disruption->arena, "%" PRIu32 " candidates are no longer valid", missing));
}

static bool take_budgets(struct revalidation *revalidation, struct command_check *check,
                         candidate_list *list)
{
    struct disruption *disruption = &revalidation->disruption;
    const struct candidate_table *table = &disruption->table;
    candidates_apply_budgets(disruption->arena, disruption->snapshot, table, check->reason);
    uint32_t taken = 0;
    while (taken < list->count) {
        uint32_t pool = (uint32_t)(list->items[taken]->pool - table->pools.items);
        assert(pool < table->pools.count);
        bool allows = list->items[taken]->pool->remaining > revalidation->taken[pool];
        if (!allows && !may_leave_out(revalidation, check))
            break;
        if (allows) {
            revalidation->taken[pool]++;
            taken++;
        } else {
            leave_out(revalidation, check, list->items[taken]->node->meta.name, CANCEL_BUDGET);
            drop_candidate(list, taken);
        }
    }
    if (taken == list->count)
        return true;
    while (taken-- > 0)
        revalidation->taken[list->items[taken]->pool - table->pools.items]--;
    return reject(check, CANCEL_BUDGET,
                  "a candidate can no longer be disrupted without violating budgets");
}

// --- simulation (DIS-263 step 2) -----------------------------------------------------------------
// True if every type of the replacement would be chosen now, too.
static bool has_all_types(const struct removal_simulation *removal, const struct string_list *types)
{
    assert(removal->claims_count == 1);
    const struct claim *claim = removal->claims[0];
    struct map *chosen = map_create();
    bitset_for_each (r, claim->rows)
        map_set(chosen, claim->template->table->rows[r].type->name,
                (void *)(uintptr_t)claim->template->table);
    bool all = true;
    list_for_each (type, types)
        all = all && map_get(chosen, *type) != NULL;
    map_destroy(chosen, NULL);
    return all;
}

// True if the decision still holds.
static bool is_confirmed(const struct removal_simulation *removal,
                         const struct command_check *check)
{
    if (removal->nodes_needed > check->replacements ||
        (removal->nodes_needed == 0 && check->replacements > 0))
        return false;
    return check->replacements != 1 || removal->claims_count != 1 || check->types.count == 0 ||
           has_all_types(removal, &check->types);
}

// Checks a removal whose replacements may have been chosen by the packing policy: with other types
// or another NodePool.
static const char *judge_removal(struct disruption *disruption, struct removal_simulation *removal,
                                 const struct command_check *check)
{
    if (removal_is_possible(removal) && !is_confirmed(removal, check))
        removal_pack(disruption, removal);
    if (!removal_is_possible(removal))
        return removal_refusal(disruption, removal);
    return is_confirmed(removal, check) ? NULL : "scheduling simulation produced new results";
}

static bool has_static_pool(const candidate_list *list)
{
    return list->count > 0 && list->items[0]->pool->pool->spec.replicas.present;
}

static bool has_simulation(const struct command_check *check, const candidate_list *list)
{
    return check->reason != DISRUPTION_EMPTY && !has_static_pool(list);
}

// Consolidation decides its commands together: a node's pods may fit elsewhere only because others'
// do not, and need other machines when it goes alone. Such commands are simulated together, with
// kube-scheduler's choices.
static bool fit_together(struct revalidation *revalidation, const struct command_check *checks,
                         uint32_t count)
{
    struct disruption *disruption = &revalidation->disruption;
    candidate_list all = candidate_list_create(disruption, &disruption->table);
    uint32_t replacements = 0, moves = 0;
    bool is_guided = false;
    for (uint32_t i = 0; i < count; i++) {
        candidate_list list = {.items = all.items + all.count};
        list_for_each (name, &checks[i].nodes) {
            struct disruption_candidate *candidate = map_get(revalidation->candidates, *name);
            if (candidate != NULL && all.count + list.count < disruption->table.candidates.count)
                list.items[list.count++] = candidate;
        }
        if (list.count == 0 || is_drift(&checks[i]) || !has_simulation(&checks[i], &list))
            continue;
        all.count += list.count;
        replacements += checks[i].replacements;
        is_guided = is_guided || checks[i].is_guided;
        moves++;
    }
    if (moves < 2)
        return false;
    struct removal_simulation removal =
        removal_simulate_mixed(disruption, all.items, all.count, 0, is_guided);
    bool fit = removal_is_possible(&removal) && removal.nodes_needed <= replacements;
    removal_free(&removal);
    return fit;
}

static void accept(struct revalidation *revalidation, const struct command_check *check,
                   const candidate_list *list)
{
    candidate_list *accepted = &revalidation->accepted;
    assert(accepted->count + list->count <= revalidation->disruption.table.candidates.count);
    for (uint32_t i = 0; i < list->count; i++)
        accepted->items[accepted->count++] = list->items[i];
    revalidation->accepted_claims += check->replacements;
}

// Simulates the command together with the valid ones before it: all may run at the same time.
static const char *try_together(struct revalidation *revalidation,
                                const struct command_check *check, const candidate_list *list)
{
    struct disruption *disruption = &revalidation->disruption;
    candidate_list *accepted = &revalidation->accepted;
    const char *why = NULL;
    uint32_t before = accepted->count, claims = revalidation->accepted_claims;
    accept(revalidation, check, list);
    if (before > 0) {
        struct removal_simulation removal =
            check->is_guided
                ? removal_simulate_mixed(disruption, accepted->items, accepted->count, 0, true)
                : removal_simulate(disruption, accepted->items, accepted->count, !is_drift(check));
        if (!removal_is_possible(&removal))
            why = removal_refusal(disruption, &removal);
        else if (removal.nodes_needed > revalidation->accepted_claims)
            why = "other commands under way need the same room";
        removal_free(&removal);
    }
    if (why != NULL) {
        accepted->count = before;
        revalidation->accepted_claims = claims;
    }
    return why;
}

// DIS-755. The node goes wherever its pods find places, but other commands must not rely on the
// same room.
static void plan_places(struct revalidation *revalidation, struct command_check *check,
                        const candidate_list *list)
{
    struct disruption *disruption = &revalidation->disruption;
    candidate_list *accepted = &revalidation->accepted;
    uint32_t before = accepted->count;
    if (!disruption->strategy->plans_moves)
        return;
    for (uint32_t i = 0; i < list->count; i++)
        accepted->items[accepted->count++] = list->items[i];
    struct removal_simulation removal =
        removal_simulate(disruption, accepted->items, accepted->count, false);
    planned_moves_find(disruption, removal.pass, list->items, list->count, NULL, 0, &check->moves);
    if (!removal_is_possible(&removal) || removal.nodes_needed > revalidation->accepted_claims)
        accepted->count = before; // it must not block others that have places
    removal_free(&removal);
}

// True for drift of nodes that need no other place.
static bool removes_idle_nodes(const struct disruption *disruption,
                               const struct command_check *check, const candidate_list *list)
{
    bool alone =
        disruption->strategy->confirms_together && is_drift(check) && check->replacements == 0;
    list_for_each (candidate, list)
        alone = alone && needs_no_place(*candidate);
    return alone;
}

// Leaves a candidate out that the budgets were charged with.
static void leave_out_charged(struct revalidation *revalidation, struct command_check *check,
                              candidate_list *list, uint32_t index, enum cancel_kind kind)
{
    const struct disruption_candidate *candidate = list->items[index];
    revalidation->taken[candidate->pool - revalidation->disruption.table.pools.items]--;
    leave_out(revalidation, check, candidate->node->meta.name, kind);
    drop_candidate(list, index);
}

// DIS-760, DIS-761: pods that were ready at the decision may not be ready now.
static bool take_pods(struct revalidation *revalidation, struct command_check *check,
                      candidate_list *list)
{
    struct evictions *evictions = &revalidation->evictions;
    uint32_t taken = 0;
    while (taken < list->count) {
        bool allow = evictions_take(evictions, list->items[taken], is_drift(check));
        if (!allow && !may_leave_out(revalidation, check))
            break;
        if (allow)
            taken++;
        else
            leave_out_charged(revalidation, check, list, taken, CANCEL_BUDGET);
    }
    if (taken == list->count)
        return true;
    while (taken-- > 0)
        evictions_give_back(evictions, list->items[taken], is_drift(check));
    return reject(check, CANCEL_BUDGET,
                  "its pods can no longer be evicted together with those of other nodes that go");
}

static void give_pods_back(struct revalidation *revalidation, const struct command_check *check,
                           const candidate_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        evictions_give_back(&revalidation->evictions, list->items[i], is_drift(check));
}

// A deletion holds if kube-scheduler would find room for every pod. Where it would is planned anew:
// nodes that were to take some may have gone.
static const char *judge_deletion(struct revalidation *revalidation, struct command_check *check,
                                  candidate_list *list)
{
    struct disruption *disruption = &revalidation->disruption;
    for (;;) {
        struct removal_simulation removal =
            removal_simulate_mixed(disruption, list->items, list->count, 0, check->is_guided);
        uint32_t misfit = list->count > 1 && may_leave_out(revalidation, check)
                              ? removal_misfit(disruption, &removal)
                              : NONE;
        const char *why = misfit == NONE ? judge_removal(disruption, &removal, check) : NULL;
        if (misfit == NONE && why == NULL)
            planned_moves_find(disruption, removal.pass, list->items, list->count, NULL, 0,
                               &check->moves);
        removal_free(&removal);
        if (misfit == NONE)
            return why;
        evictions_give_back(&revalidation->evictions, list->items[misfit], is_drift(check));
        leave_out_charged(revalidation, check, list, misfit, CANCEL_SCHEDULING);
    }
}

static const char *judge_alone(struct revalidation *revalidation, struct command_check *check,
                               candidate_list *list)
{
    struct disruption *disruption = &revalidation->disruption;
    if (removes_idle_nodes(disruption, check, list))
        return NULL;
    if (disruption->strategy->confirms_together && !is_drift(check) && check->replacements == 0)
        return judge_deletion(revalidation, check, list);
    struct removal_simulation removal =
        removal_simulate(disruption, list->items, list->count, !is_drift(check));
    const char *why = judge_removal(disruption, &removal, check);
    removal_free(&removal);
    if (why == NULL || !disruption->strategy->confirms_together || is_drift(check))
        return why;
    removal = removal_simulate_scheduled(disruption, list->items, list->count,
                                         NULL); // as at the decision
    why = judge_removal(disruption, &removal, check);
    removal_free(&removal);
    return why;
}

static bool simulate_again(struct revalidation *revalidation, struct command_check *check,
                           candidate_list *list)
{
    assert(list->count + check->left_out.count == check->nodes.count);
    if (check->reason == DISRUPTION_EMPTY)
        plan_places(revalidation, check, list);
    if (!has_simulation(check, list))
        return true;
    if (revalidation->fits_together && !is_drift(check)) {
        accept(revalidation, check, list);
        return true;
    }
    const char *why = judge_alone(revalidation, check, list);
    if (why == NULL)
        why = try_together(revalidation, check, list);
    return why == NULL || reject(check, CANCEL_SCHEDULING, why);
}

static void check_one(struct revalidation *revalidation, struct command_check *check)
{
    struct disruption *disruption = &revalidation->disruption;
    candidate_list list = {0};
    assert(check->reason < BUDGET_REASONS_COUNT);
    check->kind = CANCEL_NONE;
    check->message = NULL;
    check->moves.count = 0;
    check->left_out = (struct string_list){0};
    list.items =
        arena_allocate_array(disruption->arena, check->nodes.count + 1, sizeof *list.items);
    if (!find_candidates(revalidation, check, &list) || !take_budgets(revalidation, check, &list))
        return;
    bool taken = take_pods(revalidation, check, &list);
    if (taken && simulate_again(revalidation, check, &list))
        return;
    if (taken)
        give_pods_back(revalidation, check, &list);
    for (uint32_t i = 0; i < list.count; i++) {
        assert(revalidation->taken[list.items[i]->pool - disruption->table.pools.items] > 0);
        revalidation->taken[list.items[i]->pool - disruption->table.pools.items]--;
    }
}

bool disruption_revalidate(const struct snapshot *snapshot, const struct disruption_inputs *inputs,
                           struct arena *arena, struct command_check *checks, uint32_t count,
                           struct error *error)
{
    struct plan plan = {.arena = arena};
    struct revalidation revalidation = {.candidates = map_create()};
    bool fine = disruption_begin(&revalidation.disruption, snapshot, inputs, &plan, arena, error);
    if (fine) {
        index_candidates(&revalidation);
        revalidation.evictions = evictions_create(&revalidation.disruption);
        revalidation.fits_together = revalidation.disruption.strategy->confirms_together &&
                                     count > 1 && fit_together(&revalidation, checks, count);
        for (uint32_t i = 0; i < count; i++)
            check_one(&revalidation, &checks[i]);
    }
    disruption_end(&revalidation.disruption);
    map_destroy(revalidation.candidates, NULL);
    return fine;
}
