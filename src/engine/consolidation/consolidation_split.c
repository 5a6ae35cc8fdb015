#include "engine/consolidation/consolidation_split.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/consolidation/balanced_policy.h"
#include "engine/consolidation/replacement_types.h"
#include "engine/disruption/planned_moves.h"
#include "engine/explain/plan_builder.h"
#include "engine/packing/pack.h"
#include "engine/packing/pack_policy.h"
#include "engine/placement/claim_price.h"
#include "engine/templates/type_table.h"

// --- parts ---------------------------------------------------------------------------------------

struct candidate_owner { // candidate by state node
    const struct state_node *state;
    uint32_t index;
};

static int compare_owners(const void *a, const void *b)
{
    const struct state_node *x = ((const struct candidate_owner *)a)->state;
    const struct state_node *y = ((const struct candidate_owner *)b)->state;
    return x < y ? -1 : x > y; // of one array
}

struct grouping {
    const struct disruption *disruption;
    struct candidate_owner *owners;
    uint32_t *parent; // candidates that share a claim have the same root, the first of them
    uint32_t count;
};

static uint32_t root_of(const struct grouping *grouping, uint32_t i)
{
    while (grouping->parent[i] != i)
        i = grouping->parent[i] = grouping->parent[grouping->parent[i]];
    return i;
}

static void unite(const struct grouping *grouping, uint32_t a, uint32_t b)
{
    assert(a < grouping->count);
    assert(b < grouping->count);
    uint32_t x = root_of(grouping, a), y = root_of(grouping, b);
    grouping->parent[x > y ? x : y] = x > y ? y : x;
}

// The candidate with the pod; NONE: the pod is pending or on another node.
static uint32_t owner_of(const struct grouping *grouping, const struct queued_pod *queued)
{
    const struct candidate_owner key = {disruption_node_of(grouping->disruption, queued), 0};
    const struct candidate_owner *found =
        bsearch(&key, grouping->owners, grouping->count, sizeof *grouping->owners, compare_owners);
    assert(found == NULL || found->index < grouping->count);
    return found != NULL ? found->index : NONE;
}

static uint32_t first_owner(const struct grouping *grouping, const struct pass *pass,
                            const struct claim *claim)
{
    for (uint32_t i = 0; i < claim->pods.count; i++) {
        uint32_t owner = owner_of(grouping, pass_pod(pass, claim->pods.items[i]));
        if (owner != NONE)
            return owner;
    }
    return NONE;
}

static struct grouping group(const struct disruption *disruption,
                             const struct removal_simulation *removal,
                             struct disruption_candidate *const *candidates, uint32_t count)
{
    struct grouping grouping = {.disruption = disruption, .count = count};
    grouping.owners = arena_allocate_array(removal->arena, count + 1, sizeof *grouping.owners);
    grouping.parent = arena_allocate_array(removal->arena, count + 1, sizeof *grouping.parent);
    for (uint32_t i = 0; i < count; i++) {
        grouping.owners[i] = (struct candidate_owner){candidates[i]->state, i};
        grouping.parent[i] = i;
    }
    qsort(grouping.owners, count, sizeof *grouping.owners, compare_owners);
    for (uint32_t c = 0; c < removal->claims_count; c++) {
        const struct claim *claim = removal->claims[c];
        uint32_t first = first_owner(&grouping, removal->pass, claim);
        for (uint32_t i = 0; i < claim->pods.count; i++) {
            uint32_t owner = owner_of(&grouping, pass_pod(removal->pass, claim->pods.items[i]));
            if (owner != NONE)
                unite(&grouping, first, owner);
        }
    }
    return grouping;
}

static void make_parts(const struct disruption *disruption, struct consolidation_split *split,
                       struct disruption_candidate *const *candidates, uint32_t count)
{
    assert(split->count == 0);
    struct removal_simulation *removal = &split->removal;
    struct grouping grouping = group(disruption, removal, candidates, count);
    struct split_part **part_of =
        arena_allocate_array(removal->arena, count + 1, sizeof(struct split_part *));
    split->parts = arena_allocate_array(removal->arena, count + 1, sizeof *split->parts);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t root = root_of(&grouping, i);
        if (root == i) {
            struct split_part *part = part_of[i] = &split->parts[split->count++];
            part->candidates =
                arena_allocate_array(removal->arena, count - i, sizeof(struct split_part *));
            part->own_type = arena_allocate_array(removal->arena, count - i, sizeof(bool));
            part->replacements = arena_allocate_array(removal->arena, removal->claims_count + 1,
                                                      sizeof *part->replacements);
        }
        struct split_part *part = part_of[root];
        part->candidates[part->count++] = candidates[i];
    }
    assert(split->count <= count);
    for (uint32_t c = 0; c < removal->claims_count; c++) {
        struct claim *claim = removal->claims[c];
        uint32_t first = first_owner(&grouping, removal->pass, claim);
        if (first == NONE)
            continue;
        struct split_part *part = part_of[root_of(&grouping, first)];
        part->replacements[part->replacements_count++] =
            (struct split_replacement){claim, claim->set};
    }
}

// --- value of a part -----------------------------------------------------------------------------

static bool refuse(struct split_part *part, const char *rule, const char *why)
{
    part->rule = rule;
    part->why = why;
    return false;
}

// If a new node would equal a candidate, the candidate may do better to stay. Marks the last
// candidate of the type that is still to go.
static void mark_own_type(struct split_part *part, const struct claim *claim,
                          const struct row_filter *prices, int64_t lowest)
{
    assert(part->count > 0);
    for (uint32_t i = part->count; i-- > 0;) {
        if (part->own_type[i])
            continue;
        bitset_for_each (r, claim->rows)
            if (claim_row_price(claim, prices, r) == lowest &&
                claim->template->table->rows[r].type == part->candidates[i]->type &&
                lowest >= part->candidates[i]->price) {
                part->own_type[i] = true;
                return;
            }
    }
}

static void mark_own_types(struct problem *problem, struct split_part *part)
{
    for (uint32_t i = 0; i < part->replacements_count; i++) {
        struct claim *claim = part->replacements[i].claim;
        mark_own_type(part, claim, type_table_prices(problem, claim->template->table, claim->set),
                      claim_cheapest_price(problem, claim));
    }
}

static bool prices_are_known(const struct split_part *part)
{
    for (uint32_t i = 0; i < part->count; i++)
        if (!part->candidates[i]->price_known)
            return false;
    return true;
}

// Narrows every new node to types that cost less than its share of the candidates' price. A single
// one is none of the candidates' types (DIS-203); of several, what all of them cost decides.
static bool narrow(struct disruption *disruption, struct split_part *part, int64_t price)
{
    struct problem *problem = disruption->problem;
    int64_t total = 0;
    uint32_t count = part->replacements_count;
    assert(count > 0);
    for (uint32_t i = 0; i < count; i++)
        total = quantity_add(total, claim_cheapest_price(problem, part->replacements[i].claim));
    if (total >= price && prices_are_known(part))
        return refuse(part, "DIS-169", "Can't replace with a cheaper node");
    for (uint32_t i = 0; i < count; i++) {
        struct split_replacement *replacement = &part->replacements[i];
        int64_t own = claim_cheapest_price(problem, replacement->claim);
        int64_t limit = total == 0 ? price / count : (int64_t)((__int128)price * own / total);
        struct consolidation_move move = {.claim = replacement->claim,
                                          .priced = replacement->claim->set};
        const char *why = move_narrow(disruption, &move, part->candidates, part->count, limit);
        if (why != NULL)
            return refuse(part, move.rule != NULL ? move.rule : "DIS-169", why);
        if (part->count > 1 && count == 1 &&
            !move_keep_off_own_types(disruption, &move, part->candidates, part->count))
            return refuse(part, "DIS-203", "Can't replace with a cheaper node");
        replacement->priced = move.priced;
    }
    return true;
}

static struct claim **claims_of(const struct consolidation_split *split,
                                const struct split_part *part)
{
    struct claim **claims = arena_allocate_array(split->removal.arena, part->replacements_count + 1,
                                                 sizeof(struct claim *));
    for (uint32_t i = 0; i < part->replacements_count; i++)
        claims[i] = part->replacements[i].claim;
    return claims;
}

static bool pays(struct disruption *disruption, const struct consolidation_split *split,
                 struct split_part *part, int64_t price)
{
    assert(part->why == NULL);
    int64_t expected = price;
    part->savings = price;
    for (uint32_t i = 0; i < part->replacements_count; i++) {
        const struct split_replacement *replacement = &part->replacements[i];
        part->savings = quantity_subtract(
            part->savings, move_price(disruption, replacement->claim, replacement->priced));
        expected = quantity_subtract(expected,
                                     claim_expected_price(disruption->problem, replacement->claim));
    }
    part->payback = payback_of(disruption, part->candidates, part->count, claims_of(split, part),
                               part->replacements_count, expected);
    if (part->replacements_count > 0 && expected <= 0)
        return refuse(part, "DIS-742", "Can't replace with a cheaper node");
    if (!payback_reached(&part->payback))
        return refuse(part, "DIS-747", payback_refusal(disruption->arena, &part->payback));
    part->low_score = !balanced_policy_approves(part->candidates, part->count, expected);
    if (part->low_score)
        return refuse(part, "DIS-192", "The saving is too small for the disruption");
    return true;
}

static void judge(struct disruption *disruption, const struct consolidation_split *split,
                  struct split_part *part)
{
    assert(part->count > 0);
    int64_t price = candidates_price(part->candidates, part->count);
    if (part->replacements_count > part->count + 1) {
        refuse(part, "DIS-745",
               arena_format(disruption->arena, "Can't remove without creating %" PRIu32 " nodes",
                            part->replacements_count));
        return;
    }
    if (part->count > 1)
        mark_own_types(disruption->problem, part);
    if (part->replacements_count == 0 || narrow(disruption, part, price))
        pays(disruption, split, part, price);
}

// --- the whole set -------------------------------------------------------------------------------

static void judge_all(struct disruption *disruption, struct consolidation_split *split)
{
    assert(split->refused == 0);
    assert(split->value == 0);
    for (uint32_t i = 0; i < split->count; i++) {
        struct split_part *part = &split->parts[i];
        if (part->why == NULL)
            judge(disruption, split, part);
        if (part->why != NULL)
            split->refused++;
        else
            split->value = quantity_add(split->value, payback_value(&part->payback));
    }
}

static bool is_barred(struct disruption *disruption, const struct split_part *part)
{
    for (uint32_t i = 0; i < part->replacements_count; i++)
        if (move_is_barred(disruption, part->replacements[i].claim, part->candidates, part->count))
            return true;
    return false;
}

// The value of the part if its new nodes cost the lower bound for their pods.
static int64_t highest_value(struct disruption *disruption, const struct consolidation_split *split,
                             const struct split_part *part, struct price_bound *bound)
{
    struct claim **claims = claims_of(split, part);
    int64_t least =
        price_bound_of_claims(bound, split->removal.pass, claims, part->replacements_count);
    int64_t cost = candidates_cost(disruption, part->candidates, part->count);
    if (least >= cost || is_barred(disruption, part))
        return 0;
    struct payback payback = payback_of(disruption, part->candidates, part->count, claims,
                                        part->replacements_count, cost - least);
    payback.counted = cost - least;
    int64_t value = payback_value(&payback);
    return value > 0 ? value : 0;
}

// True if packing may make some part pay. Refuses parts that cannot pay with any packing.
static bool may_pay(struct disruption *disruption, struct consolidation_split *split,
                    struct price_bound *bound, int64_t floor)
{
    int64_t total = 0;
    bool all = true;
    for (uint32_t i = 0; i < split->count; i++) {
        struct split_part *part = &split->parts[i];
        int64_t value = highest_value(disruption, split, part, bound);
        total = quantity_add(total, value);
        if (value == 0 && part->replacements_count > 0)
            all = refuse(part, "DIS-169", "Can't replace with a cheaper node");
    }
    split->cannot_pay = total <= floor;
    return all && !split->cannot_pay;
}

// True if every new node is needed by a candidate's pods; the needs of other pods cannot be
// separated.
static bool is_clear(const struct removal_simulation *removal)
{
    return removal_is_possible(removal) && removal->nodes_needed == removal->claims_count;
}

static struct consolidation_split try_once(struct disruption *disruption,
                                           struct disruption_candidate *const *candidates,
                                           uint32_t count, const struct bitset *beside,
                                           struct price_bound *bound, int64_t floor,
                                           bool as_scheduled)
{
    struct consolidation_split split = {
        .removal = as_scheduled
                       ? removal_simulate_scheduled(disruption, candidates, count, beside)
                       : removal_simulate_beside(disruption, candidates, count, true, beside)};
    if (!is_clear(&split.removal))
        return split;
    make_parts(disruption, &split, candidates, count);
    if (bound != NULL && split.removal.claims_count > 0 &&
        pack_asks_lowest_price(disruption->problem) && may_pay(disruption, &split, bound, floor)) {
        split.count = 0;
        removal_pack(disruption, &split.removal);
        if (!is_clear(&split.removal))
            return split;
        make_parts(disruption, &split, candidates, count);
    }
    judge_all(disruption, &split);
    return split;
}

// Pods that fit existing nodes go where kube-scheduler puts them; only pods that do not fit wait
// for new nodes. A move is judged by that outcome, as its validation will.
struct consolidation_split split_simulate(struct disruption *disruption,
                                          struct disruption_candidate *const *candidates,
                                          uint32_t count, const struct bitset *beside,
                                          struct price_bound *bound, int64_t floor)
{
    struct consolidation_split split =
        try_once(disruption, candidates, count, beside, bound, floor, false);
    if (split.count == 0 || split.value <= floor)
        return split;
    split_free(&split);
    return try_once(disruption, candidates, count, beside, bound, floor, true);
}

void split_free(struct consolidation_split *split)
{
    if (split->removal.pass != NULL)
        removal_free(&split->removal);
    *split = (struct consolidation_split){0};
}

struct disruption_candidate *split_unschedulable_candidate(
    const struct consolidation_split *split, struct disruption_candidate *const *candidates,
    uint32_t count)
{
    for (uint32_t i = 0; split->removal.unschedulable_on != NULL && i < count; i++)
        if (split->removal.unschedulable_on == candidates[i]->state)
            return candidates[i];
    return NULL;
}

void split_part_command(struct disruption *disruption, const struct consolidation_split *split,
                        const struct split_part *part)
{
    assert(part->why == NULL);
    struct plan *plan = disruption->plan;
    assert(part->count > 0);
    struct plan_disruption *command =
        disruption_command(disruption, DISRUPTION_UNDERUTILIZED,
                           part->count > 1 ? CONSOLIDATION_MULTI : CONSOLIDATION_SINGLE,
                           part->candidates, part->count);
    command->savings = part->savings;
    balanced_policy_note_scores(disruption, part->candidates, part->count, part->savings);
    command->replacements.items = arena_allocate_array(plan->arena, part->replacements_count + 1,
                                                       sizeof *command->replacements.items);
    for (uint32_t i = 0; i < part->replacements_count; i++)
        replacement_build(split->removal.pass, part->replacements[i].claim,
                          part->replacements[i].priced, plan,
                          &command->replacements.items[command->replacements.count++]);
    planned_moves_find(disruption, split->removal.pass, part->candidates, part->count,
                       claims_of(split, part), part->replacements_count, &command->moves);
}
