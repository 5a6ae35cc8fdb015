#include "engine/consolidation/single_node_search.h"

#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "engine/consolidation/balanced_policy.h"
#include "engine/consolidation/blocked_moves.h"
#include "engine/consolidation/consolidation_split.h"
#include "engine/disruption/evictions.h"
#include "engine/problem/problem.h"

#define COMMANDS_MAX 40  // of one pass
#define PACKED_MAX   100 // candidates whose replacements are packed, too
#define TRIES_MAX    120 // of moves beside those that were accepted

struct found {
    struct disruption_candidate *candidate;
    int64_t value;  // nano-USD
    uint32_t merit; // place in the order
    bool packed;    // the packed outcome is the better one
};
struct accepted {
    struct disruption_candidate *candidate;
    uint32_t number; // in the order of acceptance
};
struct best_moves {
    struct disruption *disruption;
    struct arena *arena;
    struct evictions evictions;
    struct price_bound costs;
    struct found *found;
    uint32_t found_count, packed;
    // Accepted: nodes whose pods rely on room elsewhere go along in every further simulation; the
    // others are closed, for their pods have places of their own.
    struct accepted along[COMMANDS_MAX + 1];
    uint32_t along_count;
    uint32_t commands;           // all accepted ones
    uint32_t made[COMMANDS_MAX]; // their numbers, in the order in which the plan has got them
    uint32_t made_count;
    struct joint last; // the latest simulation in which a move was accepted: what `along` go by
    int64_t value;     // of `along` in it
    struct bitset closed;
    bool limited; // a new node of a closed one counts against a limit or a reservation
};

// --- each by itself ------------------------------------------------------------------------------

static void add(struct best_moves *moves, struct disruption_candidate *candidate, uint32_t merit,
                int64_t value, bool packed)
{
    moves->found[moves->found_count++] = (struct found){candidate, value, merit, packed};
}

// Several small machines may be cheaper than one.
static bool find_packed(struct best_moves *moves, struct disruption_candidate *candidate,
                        const struct trial *trial, uint32_t merit, int64_t floor)
{
    if (!trial_possible(trial) || trial->claims_count == 0 || moves->packed >= PACKED_MAX ||
        price_bound_of(&moves->costs, candidate) >=
            candidates_cost(moves->disruption, &candidate, 1))
        return false;
    moves->packed++;
    struct joint joint = joint_try(moves->disruption, &candidate, 1, NULL, &moves->costs, floor);
    bool better = joint.count == 1 && joint.refused == 0 && joint.value > floor;
    if (better)
        add(moves, candidate, merit, joint.value, true);
    joint_free(&joint);
    return better;
}

static void examine(struct best_moves *moves, struct disruption_candidate *candidate,
                    uint32_t merit)
{
    struct disruption *disruption = moves->disruption;
    struct move move = consolidate(disruption, &candidate, 1);
    bool fine = move.kind != MOVE_NONE && balance_approves(&candidate, 1, move.payback.saving);
    int64_t value = fine ? payback_value(&move.payback) : 0;
    bool packed = find_packed(moves, candidate, &move.trial, merit, value);
    if (!packed && fine)
        add(moves, candidate, merit, value, false);
    if (move.kind != MOVE_NONE && !packed && !fine)
        balance_note(disruption, &candidate, 1, move.payback.saving);
    if (!packed && !fine) {
        disruption_note(disruption, "Unconsolidatable", candidate, move.why);
        verdict_of_move(disruption, candidate, &move);
    }
    move_free(&move);
}

static int by_value(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return x->merit < y->merit ? -1 : x->merit > y->merit;
}

static void examine_all(struct best_moves *moves, const candidate_list *order)
{
    for (uint32_t i = 0; i < order->count; i++) {
        struct disruption_candidate *candidate = order->items[i];
        if (candidate->pool->remaining == 0 ||
            !evictions_allow(&moves->evictions, candidate, false))
            continue;
        if (balance_may_approve(candidate))
            examine(moves, candidate, i);
        else
            verdict_of_score(moves->disruption, candidate, "DIS-196", candidate->price);
    }
    qsort(moves->found, moves->found_count, sizeof *moves->found, by_value);
}

// --- together ------------------------------------------------------------------------------------

static const struct part *part_with(const struct joint *joint,
                                    const struct disruption_candidate *candidate)
{
    for (uint32_t i = 0; i < joint->count; i++)
        if (joint->parts[i].candidates[0] == candidate)
            return &joint->parts[i];
    return NULL;
}

// Every candidate goes for itself, each move still worth it.
static bool is_disjoint(const struct joint *joint, uint32_t candidates)
{
    return joint->count == candidates && joint->refused == 0;
}

static bool is_limited(const struct part *part)
{
    for (uint32_t i = 0; i < part->replacements_count; i++) {
        const struct claim *claim = part->replacements[i].claim;
        if (claim->template->has_limits || !bitset_empty(claim->reservations))
            return true;
    }
    return false;
}

static bool relies_on_room(const struct joint *joint, const struct disruption_candidate *candidate)
{
    const struct pass *pass = joint->trial.pass;
    for (uint32_t i = 0; i < pass->input.queue_count; i++)
        if (pass_pod(pass, i)->on == candidate->state && pass->placements[i].kind == ON_NODE)
            return true;
    return false;
}

static void make_command(struct best_moves *moves, const struct joint *joint,
                         const struct disruption_candidate *candidate, uint32_t number)
{
    part_command(moves->disruption, joint, part_with(joint, candidate));
    moves->made[moves->made_count++] = number;
}

// Those that go along rearrange each other's pods: their commands wait for the last simulation, so
// that no two of them count on the same room.
static void accept(struct best_moves *moves, struct joint *joint,
                   struct disruption_candidate *candidate)
{
    const struct part *part = part_with(joint, candidate);
    uint32_t number = moves->commands++;
    candidate->pool->remaining--;
    moves->value = joint->value;
    if (part->replacements_count > 0 && !candidate->holds_placeholders &&
        !relies_on_room(joint, candidate)) {
        bitset_set(moves->closed,
                   (uint32_t)(candidate->state - moves->disruption->problem->nodes.items));
        moves->limited = moves->limited || is_limited(part);
        moves->value = quantity_subtract(moves->value, payback_value(&part->payback));
        make_command(moves, joint, candidate, number);
    } else {
        moves->along[moves->along_count++] = (struct accepted){candidate, number};
    }
    joint_free(&moves->last);
    moves->last = *joint;
}

static void leave(struct best_moves *moves, const struct disruption_candidate *candidate)
{
    evictions_give_back(&moves->evictions, candidate, false);
    disruption_verdict(moves->disruption, candidate, "DIS-746",
                       "it could go by itself, but not beside the nodes that go now and save more");
}

// Limits and reservations are shared by what is simulated together, not with closed nodes.
static bool keeps_limits(const struct best_moves *moves, const struct joint *joint)
{
    for (uint32_t i = 0; moves->limited && i < joint->count; i++)
        if (is_limited(&joint->parts[i]))
            return false;
    return true;
}

static void consider(struct best_moves *moves, const struct found *found)
{
    struct disruption_candidate *candidate = found->candidate, *set[COMMANDS_MAX + 1];
    if (candidate->pool->remaining == 0 || !evictions_take(&moves->evictions, candidate, false))
        return;
    uint32_t count = moves->along_count;
    for (uint32_t i = 0; i < count; i++)
        set[i] = moves->along[i].candidate;
    set[count++] = candidate;
    struct joint joint = joint_try(moves->disruption, set, count, &moves->closed,
                                   found->packed ? &moves->costs : NULL, 0);
    if (is_disjoint(&joint, count) && joint.value >= moves->value && keeps_limits(moves, &joint)) {
        accept(moves, &joint, candidate);
        return;
    }
    leave(moves, candidate);
    joint_free(&joint);
}

// --- the commands --------------------------------------------------------------------------------

// In the order of acceptance, whenever they were made.
static void sort_commands(struct best_moves *moves, uint32_t first)
{
    struct plan_disruption *items = moves->disruption->plan->disruptions.items + first;
    for (uint32_t i = 1; i < moves->made_count; i++) {
        struct plan_disruption command = items[i];
        uint32_t number = moves->made[i], at = i;
        for (; at > 0 && moves->made[at - 1] > number; at--) {
            items[at] = items[at - 1];
            moves->made[at] = moves->made[at - 1];
        }
        items[at] = command;
        moves->made[at] = number;
    }
}

void single_node_search_decide(struct disruption *disruption, const candidate_list *order)
{
    CLEANUP_ARENA struct arena *arena = arena_create(65536);
    struct best_moves moves = {.disruption = disruption,
                               .arena = arena,
                               .evictions = evictions_create(disruption),
                               .costs = price_bound_create(disruption, arena)};
    moves.found = arena_allocate_array(arena, order->count + 1, sizeof *moves.found);
    moves.closed = bitset_create(arena, disruption->problem->nodes.count);
    uint32_t first = disruption->plan->disruptions.count;
    examine_all(&moves, order);
    for (uint32_t i = 0; i < moves.found_count && i < TRIES_MAX && moves.commands < COMMANDS_MAX;
         i++)
        consider(&moves, &moves.found[i]);
    for (uint32_t i = 0; i < moves.along_count; i++)
        make_command(&moves, &moves.last, moves.along[i].candidate, moves.along[i].number);
    if (moves.made_count > 1)
        sort_commands(&moves, first);
    joint_free(&moves.last);
    price_bound_free(&moves.costs);
}
