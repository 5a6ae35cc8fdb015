#include "engine/consolidation/single_node_search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/consolidation/balanced_policy.h"
#include "engine/consolidation/blocked_moves.h"
#include "engine/consolidation/consolidation.h"
#include "engine/consolidation/consolidation_split.h"
#include "engine/consolidation/single_node_candidates.h"
#include "engine/disruption/disruption_candidates.h"
#include "engine/disruption/evictions.h"
#include "engine/problem/problem.h"

#define COMMANDS_MAX 40  // of one pass
#define PACKED_MAX   100 // candidates whose replacements are also packed
#define TRIES_MAX    120 // tries of moves together with the accepted ones

struct found_move {
    struct disruption_candidate *candidate;
    int64_t value;  // nano-USD
    uint32_t merit; // position in the order
    bool packed;    // the packed result is better
};
struct accepted_move {
    struct disruption_candidate *candidate;
    uint32_t number; // in the order of acceptance
};
struct single_node_search {
    struct disruption *disruption;
    struct arena *arena;
    struct evictions evictions;
    struct price_bound bound;
    struct found_move *found;
    uint32_t found_count, packed;
    // Accepted moves. Nodes whose pods rely on existing room are part of every further simulation;
    // the others are closed, because their pods have their own new nodes.
    struct accepted_move together[COMMANDS_MAX + 1];
    uint32_t together_count;
    uint32_t commands;           // all accepted ones
    uint32_t made[COMMANDS_MAX]; // their numbers, in the order of the plan
    uint32_t made_count;
    // The latest simulation with an accepted move: `together` follow it.
    struct consolidation_split last;
    int64_t value; // of `together` in it
    struct bitset closed;
    bool limited; // a new node of a closed one counts against a limit or reservation
};

// --- single moves --------------------------------------------------------------------------------

static void add(struct single_node_search *search, struct disruption_candidate *candidate,
                uint32_t merit, int64_t value, bool packed)
{
    assert(search->found_count <= merit);
    search->found[search->found_count++] = (struct found_move){candidate, value, merit, packed};
}

// Tries whether several small machines are cheaper than one.
static bool find_packed(struct single_node_search *search, struct disruption_candidate *candidate,
                        const struct removal_simulation *removal, uint32_t merit, int64_t floor)
{
    if (!removal_is_possible(removal) || removal->claims_count == 0 ||
        search->packed >= PACKED_MAX ||
        price_bound_of(&search->bound, candidate) >=
            candidates_cost(search->disruption, &candidate, 1))
        return false;
    search->packed++;
    struct consolidation_split split =
        split_simulate(search->disruption, &candidate, 1, NULL, &search->bound, floor);
    bool better = split.count == 1 && split.refused == 0 && split.value > floor;
    if (better)
        add(search, candidate, merit, split.value, true);
    split_free(&split);
    return better;
}

static void examine(struct single_node_search *search, struct disruption_candidate *candidate,
                    uint32_t merit)
{
    struct disruption *disruption = search->disruption;
    struct consolidation_move move = consolidate(disruption, &candidate, 1);
    bool fine =
        move.kind != MOVE_NONE && balanced_policy_approves(&candidate, 1, move.payback.saving);
    int64_t value = fine ? payback_value(&move.payback) : 0;
    bool packed = find_packed(search, candidate, &move.removal, merit, value);
    if (!packed && fine)
        add(search, candidate, merit, value, false);
    if (move.kind != MOVE_NONE && !packed && !fine)
        balanced_policy_note_scores(disruption, &candidate, 1, move.payback.saving);
    if (!packed && !fine) {
        disruption_note(disruption, EVENT_UNCONSOLIDATABLE, candidate, move.why);
        blocked_move_note(disruption, candidate, &move);
    }
    move_free(&move);
}

static int by_value(const void *a, const void *b)
{
    const struct found_move *x = a, *y = b;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return x->merit < y->merit ? -1 : x->merit > y->merit;
}

static void examine_all(struct single_node_search *search, const candidate_list *order)
{
    for (uint32_t i = 0; i < order->count; i++) {
        struct disruption_candidate *candidate = order->items[i];
        if (candidate->pool->remaining == 0 ||
            !evictions_allow(&search->evictions, candidate, false))
            continue;
        if (balanced_policy_may_approve(candidate))
            examine(search, candidate, i);
        else
            blocked_score_note(search->disruption, candidate, "DIS-196", candidate->price);
    }
    qsort(search->found, search->found_count, sizeof *search->found, by_value);
}

// --- together ------------------------------------------------------------------------------------

static const struct split_part *part_with(const struct consolidation_split *split,
                                          const struct disruption_candidate *candidate)
{
    for (uint32_t i = 0; i < split->count; i++)
        if (split->parts[i].candidates[0] == candidate)
            return &split->parts[i];
    return NULL;
}

// True if every candidate is a part of its own and every part pays.
static bool is_disjoint(const struct consolidation_split *split, uint32_t candidates)
{
    assert(split->count <= candidates);
    return split->count == candidates && split->refused == 0;
}

static bool is_limited(const struct split_part *part)
{
    for (uint32_t i = 0; i < part->replacements_count; i++) {
        const struct claim *claim = part->replacements[i].claim;
        if (claim->template->has_limits || !bitset_empty(claim->reservations))
            return true;
    }
    return false;
}

static bool relies_on_room(const struct consolidation_split *split,
                           const struct disruption_candidate *candidate)
{
    const struct pass *pass = split->removal.pass;
    for (uint32_t i = 0; i < pass->input.queue_count; i++)
        if (pass_pod(pass, i)->on == candidate->state && pass->placements[i].kind == ON_NODE)
            return true;
    return false;
}

static void make_command(struct single_node_search *search, const struct consolidation_split *split,
                         const struct disruption_candidate *candidate, uint32_t number)
{
    assert(part_with(split, candidate) != NULL);
    assert(search->made_count < COMMANDS_MAX);
    split_part_command(search->disruption, split, part_with(split, candidate));
    search->made[search->made_count++] = number;
}

// Moves in `together` rearrange each other's pods: their commands wait for the last simulation, so
// that no two of them rely on the same room.
static void accept(struct single_node_search *search, struct consolidation_split *split,
                   struct disruption_candidate *candidate)
{
    assert(candidate->pool->remaining > 0);
    const struct split_part *part = part_with(split, candidate);
    assert(part != NULL && search->commands < COMMANDS_MAX);
    assert(part->why == NULL);
    uint32_t number = search->commands++;
    candidate->pool->remaining--;
    search->value = split->value;
    if (part->replacements_count > 0 && !candidate->holds_placeholders &&
        !relies_on_room(split, candidate)) {
        bitset_set(search->closed,
                   (uint32_t)(candidate->state - search->disruption->problem->nodes.items));
        search->limited = search->limited || is_limited(part);
        search->value = quantity_subtract(search->value, payback_value(&part->payback));
        make_command(search, split, candidate, number);
    } else {
        search->together[search->together_count++] = (struct accepted_move){candidate, number};
    }
    split_free(&search->last);
    search->last = *split;
}

static void leave(struct single_node_search *search, const struct disruption_candidate *candidate)
{
    evictions_give_back(&search->evictions, candidate, false);
    disruption_note_blocked(
        search->disruption, candidate, "DIS-746",
        "it could go by itself, but not beside the nodes that go now and save more");
}

// Limits and reservations are shared within a simulation, but not with closed nodes.
static bool keeps_limits(const struct single_node_search *search,
                         const struct consolidation_split *split)
{
    for (uint32_t i = 0; search->limited && i < split->count; i++)
        if (is_limited(&split->parts[i]))
            return false;
    return true;
}

static void consider(struct single_node_search *search, const struct found_move *found)
{
    struct disruption_candidate *candidate = found->candidate, *set[COMMANDS_MAX + 1];
    if (candidate->pool->remaining == 0 || !evictions_take(&search->evictions, candidate, false))
        return;
    uint32_t count = search->together_count;
    assert(count <= search->commands);
    for (uint32_t i = 0; i < count; i++)
        set[i] = search->together[i].candidate;
    set[count++] = candidate;
    struct consolidation_split split = split_simulate(
        search->disruption, set, count, &search->closed, found->packed ? &search->bound : NULL, 0);
    if (is_disjoint(&split, count) && split.value >= search->value &&
        keeps_limits(search, &split)) {
        accept(search, &split, candidate);
        return;
    }
    leave(search, candidate);
    split_free(&split);
}

// --- the commands --------------------------------------------------------------------------------

// Sorts the commands in order of acceptance.
static void sort_commands(struct single_node_search *search, uint32_t first)
{
    struct plan_disruption *items = search->disruption->plan->disruptions.items + first;
    for (uint32_t i = 1; i < search->made_count; i++) {
        struct plan_disruption command = items[i];
        uint32_t number = search->made[i], at = i;
        for (; at > 0 && search->made[at - 1] > number; at--) {
            items[at] = items[at - 1];
            search->made[at] = search->made[at - 1];
        }
        items[at] = command;
        search->made[at] = number;
    }
}

void single_node_search_decide(struct disruption *disruption)
{
    struct candidate_table table =
        disruption_candidates(disruption, DISRUPTION_UNDERUTILIZED, false);
    candidate_list order = single_node_candidates(disruption, &table);
    CLEANUP_ARENA struct arena *arena = arena_create(65536);
    struct single_node_search search = {.disruption = disruption,
                                        .arena = arena,
                                        .evictions = evictions_create(disruption),
                                        .bound = price_bound_create(disruption, arena)};
    search.found = arena_allocate_array(arena, order.count + 1, sizeof *search.found);
    search.closed = bitset_create(arena, disruption->problem->nodes.count);
    uint32_t first = disruption->plan->disruptions.count;
    examine_all(&search, &order);
    for (uint32_t i = 0; i < search.found_count && i < TRIES_MAX && search.commands < COMMANDS_MAX;
         i++)
        consider(&search, &search.found[i]);
    for (uint32_t i = 0; i < search.together_count; i++)
        make_command(&search, &search.last, search.together[i].candidate,
                     search.together[i].number);
    assert(search.made_count == search.commands);
    assert(disruption->plan->disruptions.count == first + search.made_count);
    if (search.made_count > 1)
        sort_commands(&search, first);
    split_free(&search.last);
    price_bound_free(&search.bound);
}
