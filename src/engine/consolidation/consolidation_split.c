#include "engine/consolidation/consolidation_split.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/consolidation/balanced_policy.h"
#include "engine/disruption/planned_moves.h"
#include "engine/explain/plan_builder.h"
#include "engine/packing/pack.h"
#include "engine/placement/claim_price.h"
#include "engine/templates/instance_types.h"

// --- which belong together -----------------------------------------------------------------------

struct owner { // candidate by state node
    const struct state_node *state;
    uint32_t index;
};

static int compare_owners(const void *a, const void *b)
{
    const struct state_node *x = ((const struct owner *)a)->state;
    const struct state_node *y = ((const struct owner *)b)->state;
    return x < y ? -1 : x > y; // of one array
}

struct grouping {
    const struct disruption *disruption;
    struct owner *owners;
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
    uint32_t x = root_of(grouping, a), y = root_of(grouping, b);
    grouping->parent[x > y ? x : y] = x > y ? y : x;
}

// The candidate that the pod comes from; NONE: another node, or it is pending.
static uint32_t owner_of(const struct grouping *grouping, const struct queued_pod *queued)
{
    const struct owner key = {disruption_home(grouping->disruption, queued), 0};
    const struct owner *found =
        bsearch(&key, grouping->owners, grouping->count, sizeof *grouping->owners, compare_owners);
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

static struct grouping group(const struct disruption *disruption, const struct trial *trial,
                             struct disruption_candidate *const *candidates, uint32_t count)
{
    struct grouping grouping = {.disruption = disruption, .count = count};
    grouping.owners = arena_allocate_array(trial->arena, count + 1, sizeof *grouping.owners);
    grouping.parent = arena_allocate_array(trial->arena, count + 1, sizeof *grouping.parent);
    for (uint32_t i = 0; i < count; i++) {
        grouping.owners[i] = (struct owner){candidates[i]->state, i};
        grouping.parent[i] = i;
    }
    qsort(grouping.owners, count, sizeof *grouping.owners, compare_owners);
    for (uint32_t c = 0; c < trial->claims_count; c++) {
        const struct claim *claim = trial->claims[c];
        uint32_t first = first_owner(&grouping, trial->pass, claim);
        for (uint32_t i = 0; i < claim->pods.count; i++) {
            uint32_t owner = owner_of(&grouping, pass_pod(trial->pass, claim->pods.items[i]));
            if (owner != NONE)
                unite(&grouping, first, owner);
        }
    }
    return grouping;
}

static void make_parts(const struct disruption *disruption, struct joint *joint,
                       struct disruption_candidate *const *candidates, uint32_t count)
{
    struct trial *trial = &joint->trial;
    struct grouping grouping = group(disruption, trial, candidates, count);
    struct part **part_of = arena_allocate_array(trial->arena, count + 1, sizeof(struct part *));
    joint->parts = arena_allocate_array(trial->arena, count + 1, sizeof *joint->parts);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t root = root_of(&grouping, i);
        if (root == i) {
            struct part *part = part_of[i] = &joint->parts[joint->count++];
            part->candidates = arena_allocate_array(trial->arena, count - i, sizeof(struct part *));
            part->own_type = arena_allocate_array(trial->arena, count - i, sizeof(bool));
            part->replacements = arena_allocate_array(trial->arena, trial->claims_count + 1,
                                                      sizeof *part->replacements);
        }
        struct part *part = part_of[root];
        part->candidates[part->count++] = candidates[i];
    }
    for (uint32_t c = 0; c < trial->claims_count; c++) {
        struct claim *claim = trial->claims[c];
        uint32_t first = first_owner(&grouping, trial->pass, claim);
        if (first == NONE)
            continue;
        struct part *part = part_of[root_of(&grouping, first)];
        part->replacements[part->replacements_count++] = (struct replacement){claim, claim->set};
    }
}

// --- whether a part is worth it ------------------------------------------------------------------

static bool refuse(struct part *part, const char *rule, const char *why)
{
    part->rule = rule;
    part->why = why;
    return false;
}

// A new node would be what a candidate is: then that one had better stay. The last of the type that
// is still thought to go is marked.
static void mark_own_type(struct part *part, const struct claim *claim,
                          const struct row_filter *prices, int64_t lowest)
{
    for (uint32_t i = part->count; i-- > 0;) {
        if (part->own_type[i])
            continue;
        bitset_for_each (r, claim->rows)
            if (prices->cheapest[r] == lowest &&
                claim->template->table->rows[r].type == part->candidates[i]->type &&
                lowest >= part->candidates[i]->price) {
                part->own_type[i] = true;
                return;
            }
    }
}

static void mark_own_types(struct problem *problem, struct part *part)
{
    for (uint32_t i = 0; i < part->replacements_count; i++) {
        struct claim *claim = part->replacements[i].claim;
        mark_own_type(part, claim, type_table_prices(problem, claim->template->table, claim->set),
                      claim_cheapest_price(problem, claim));
    }
}

static bool prices_are_known(const struct part *part)
{
    for (uint32_t i = 0; i < part->count; i++)
        if (!part->candidates[i]->price_known)
            return false;
    return true;
}

// Narrows every new node to what costs less than its share of what the candidates cost.
static bool narrow(struct disruption *disruption, struct part *part, int64_t price)
{
    struct problem *problem = disruption->problem;
    int64_t total = 0;
    uint32_t count = part->replacements_count;
    for (uint32_t i = 0; i < count; i++)
        total = quantity_add(total, claim_cheapest_price(problem, part->replacements[i].claim));
    if (total >= price && prices_are_known(part))
        return refuse(part, "DIS-169", "Can't replace with a cheaper node");
    for (uint32_t i = 0; i < count; i++) {
        struct replacement *replacement = &part->replacements[i];
        int64_t own = claim_cheapest_price(problem, replacement->claim);
        int64_t limit = total == 0 ? price / count : (int64_t)((__int128)price * own / total);
        struct move move = {.claim = replacement->claim, .priced = replacement->claim->set};
        const char *why = move_narrow(disruption, &move, part->candidates, part->count, limit);
        if (why != NULL)
            return refuse(part, move.rule != NULL ? move.rule : "DIS-169", why);
        if (part->count > 1 &&
            !move_keep_off_own_types(disruption, &move, part->candidates, part->count))
            return refuse(part, "DIS-203", "Can't replace with a cheaper node");
        replacement->priced = move.priced;
    }
    return true;
}

static struct claim **claims_of(const struct joint *joint, const struct part *part)
{
    struct claim **claims = arena_allocate_array(joint->trial.arena, part->replacements_count + 1,
                                                 sizeof(struct claim *));
    for (uint32_t i = 0; i < part->replacements_count; i++)
        claims[i] = part->replacements[i].claim;
    return claims;
}

static bool pays(struct disruption *disruption, const struct joint *joint, struct part *part,
                 int64_t price)
{
    int64_t expected = price;
    part->savings = price;
    for (uint32_t i = 0; i < part->replacements_count; i++) {
        const struct replacement *replacement = &part->replacements[i];
        part->savings = quantity_subtract(
            part->savings, move_price(disruption, replacement->claim, replacement->priced));
        expected = quantity_subtract(expected,
                                     claim_expected_price(disruption->problem, replacement->claim));
    }
    part->payback = payback_of(disruption, part->candidates, part->count, claims_of(joint, part),
                               part->replacements_count, expected);
    if (part->replacements_count > 0 && expected <= 0)
        return refuse(part, "DIS-742", "Can't replace with a cheaper node");
    if (!payback_reached(&part->payback))
        return refuse(part, "DIS-747", payback_refusal(disruption->arena, &part->payback));
    if (!balance_approves(part->candidates, part->count, expected))
        return refuse(part, "DIS-192", "The saving is too small for the disruption");
    return true;
}

static void judge(struct disruption *disruption, const struct joint *joint, struct part *part)
{
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
        pays(disruption, joint, part, price);
}

// --- the whole -----------------------------------------------------------------------------------

static void judge_all(struct disruption *disruption, struct joint *joint)
{
    for (uint32_t i = 0; i < joint->count; i++) {
        struct part *part = &joint->parts[i];
        if (part->why == NULL)
            judge(disruption, joint, part);
        if (part->why != NULL)
            joint->refused++;
        else
            joint->value = quantity_add(joint->value, payback_value(&part->payback));
    }
}

static bool is_barred(struct disruption *disruption, const struct part *part)
{
    for (uint32_t i = 0; i < part->replacements_count; i++)
        if (move_is_barred(disruption, part->replacements[i].claim, part->candidates, part->count))
            return true;
    return false;
}

// What the part could be worth if its new nodes cost as little as its pods can.
static int64_t highest_value(struct disruption *disruption, const struct joint *joint,
                             const struct part *part, struct price_bound *costs)
{
    struct claim **claims = claims_of(joint, part);
    int64_t least =
        price_bound_of_claims(costs, joint->trial.pass, claims, part->replacements_count);
    int64_t cost = candidates_cost(disruption, part->candidates, part->count);
    if (least >= cost || is_barred(disruption, part))
        return 0;
    struct payback payback = payback_of(disruption, part->candidates, part->count, claims,
                                        part->replacements_count, cost - least);
    payback.counted = cost - least;
    int64_t value = payback_value(&payback);
    return value > 0 ? value : 0;
}

// Whether it is of any use to pack. Parts that no packing makes worth it are refused.
static bool is_promising(struct disruption *disruption, struct joint *joint,
                         struct price_bound *costs, int64_t floor)
{
    int64_t total = 0;
    bool all = true;
    for (uint32_t i = 0; i < joint->count; i++) {
        struct part *part = &joint->parts[i];
        int64_t value = highest_value(disruption, joint, part, costs);
        total = quantity_add(total, value);
        if (value == 0 && part->replacements_count > 0)
            all = refuse(part, "DIS-169", "Can't replace with a cheaper node");
    }
    joint->hopeless = total <= floor;
    return all && !joint->hopeless;
}

// What the pods of others need beyond what they need anyway cannot be told apart.
static bool is_clear(const struct trial *trial)
{
    return trial_possible(trial) && trial->needed == trial->claims_count;
}

static struct joint try_once(struct disruption *disruption,
                             struct disruption_candidate *const *candidates, uint32_t count,
                             const struct bitset *beside, struct price_bound *costs, int64_t floor,
                             bool as_scheduled)
{
    struct joint joint = {
        .trial = as_scheduled ? trial_run_scheduled(disruption, candidates, count, beside)
                              : trial_run_beside(disruption, candidates, count, true, beside)};
    if (!is_clear(&joint.trial))
        return joint;
    make_parts(disruption, &joint, candidates, count);
    if (costs != NULL && joint.trial.claims_count > 0 &&
        pack_asks_lowest_price(disruption->problem) &&
        is_promising(disruption, &joint, costs, floor)) {
        joint.count = 0;
        trial_pack(disruption, &joint.trial);
        if (!is_clear(&joint.trial))
            return joint;
        make_parts(disruption, &joint, candidates, count);
    }
    judge_all(disruption, &joint);
    return joint;
}

static uint32_t launches_of(const struct joint *joint)
{
    uint32_t launches = 0;
    for (uint32_t i = 0; i < joint->count; i++)
        launches += joint->parts[i].replacements_count;
    return launches;
}

// Pods that find room on nodes that are there go wherever kube-scheduler likes; only those that
// find none wait for the new nodes. What that leaves of a move with launches is what counts.
struct joint joint_try(struct disruption *disruption,
                       struct disruption_candidate *const *candidates, uint32_t count,
                       const struct bitset *beside, struct price_bound *costs, int64_t floor)
{
    struct joint joint = try_once(disruption, candidates, count, beside, costs, floor, false);
    if (joint.count == 0 || joint.value <= floor || launches_of(&joint) == 0)
        return joint;
    joint_free(&joint);
    return try_once(disruption, candidates, count, beside, costs, floor, true);
}

void joint_free(struct joint *joint)
{
    if (joint->trial.pass != NULL)
        trial_free(&joint->trial);
    *joint = (struct joint){0};
}

struct disruption_candidate *joint_offender(const struct joint *joint,
                                            struct disruption_candidate *const *candidates,
                                            uint32_t count)
{
    for (uint32_t i = 0; joint->trial.left != NULL && i < count; i++)
        if (joint->trial.left == candidates[i]->state)
            return candidates[i];
    return NULL;
}

void part_command(struct disruption *disruption, const struct joint *joint, const struct part *part)
{
    struct plan *plan = disruption->plan;
    struct plan_disruption *command =
        disruption_command(disruption, DISRUPTION_UNDERUTILIZED,
                           part->count > 1 ? CONSOLIDATION_MULTI : CONSOLIDATION_SINGLE,
                           part->candidates, part->count);
    command->savings = part->savings;
    balance_note(disruption, part->candidates, part->count, part->savings);
    command->replacements.items = arena_allocate_array(plan->arena, part->replacements_count + 1,
                                                       sizeof *command->replacements.items);
    for (uint32_t i = 0; i < part->replacements_count; i++)
        replacement_build(joint->trial.pass, part->replacements[i].claim,
                          part->replacements[i].priced, plan,
                          &command->replacements.items[command->replacements.count++]);
    planned_moves_find(disruption, joint->trial.pass, part->candidates, part->count,
                       claims_of(joint, part), part->replacements_count, &command->moves);
}
