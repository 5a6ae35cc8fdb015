#include "control/state/scheduler_turns.h"

#include <stdlib.h>

#include "base/nanoseconds.h"
#include "base/text.h"

#define NO_NODES "no nodes available to schedule pods"
#define RETRY_NS (1500 * MILLISECOND) // the first backoff, and half the period of its check
// Attempts with a longer pause between them do not follow each other.
#define PACE_MAX_NS   (200 * MILLISECOND)
#define PACE_WEIGHT   32
#define PACE_LEAST_NS MILLISECOND // also after a list of pods, which came at once
#define GAPS_LEAST    64

void scheduler_turns_free(struct scheduler_turns *turns)
{
    vector_free(&turns->tried);
}

static int64_t next_turn(struct scheduler_turns *turns, int64_t now_ns)
{
    turns->last = ns_maximum(now_ns, ns_add(turns->last, 1));
    return turns->last;
}

int64_t scheduler_turns_next(struct scheduler_turns *turns, int64_t now_ns)
{
    turns->seen_ns = now_ns;
    return next_turn(turns, now_ns);
}

// --- the tried pods ------------------------------------------------------------------------------
static void close_gaps(struct scheduler_turns *turns)
{
    uint32_t kept = 0;
    vector_for_each (slot, &turns->tried) {
        if (*slot == NULL)
            continue;
        (*slot)->index = kept;
        turns->tried.items[kept++] = *slot;
    }
    turns->tried.count = kept;
    turns->first = 0;
}

static void take_out(struct scheduler_turns *turns, struct scheduler_turn *turn)
{
    turns->tried.items[turn->index] = NULL;
    turns->tried_count--;
    turn->is_tried = false;
}

static void put_last(struct scheduler_turns *turns, struct scheduler_turn *turn, int64_t now_ns)
{
    turn->at = next_turn(turns, now_ns);
    turn->index = turns->tried.count;
    turn->is_tried = true;
    turns->tried_count++;
    vector_push(&turns->tried, turn);
}

static void move_last(struct scheduler_turns *turns, struct scheduler_turn *turn, int64_t now_ns)
{
    take_out(turns, turn);
    put_last(turns, turn, now_ns);
}

void scheduler_turns_forget(struct scheduler_turns *turns, struct scheduler_turn *turn)
{
    if (turn->is_tried)
        take_out(turns, turn);
}

// --- attempts ------------------------------------------------------------------------------------
static void note_pace(struct scheduler_turns *turns, int64_t now_ns)
{
    int64_t gap_ns = ns_subtract(now_ns, turns->attempted_ns);
    turns->attempted_ns = now_ns;
    if (gap_ns <= PACE_MAX_NS)
        turns->pace_ns = ns_add(turns->pace_ns, ns_subtract(gap_ns, turns->pace_ns) / PACE_WEIGHT);
}

// Without nodes, each pod is tried again after a while, and that changes nothing of it. Pods are
// taken by turn: those that come before the one that was tried now have been tried, too.
static void pass_nodeless(struct scheduler_turns *turns, int64_t at, int64_t now_ns)
{
    uint32_t end = turns->tried.count;
    for (uint32_t i = turns->first; i < end; i++) {
        struct scheduler_turn *turn = turns->tried.items[i];
        turns->first += turn == NULL && i == turns->first;
        if (turn == NULL)
            continue;
        if (turn->at >= at)
            return;
        if (turn->is_nodeless && ns_subtract(now_ns, turn->at) >= RETRY_NS)
            move_last(turns, turn, now_ns);
    }
}

void scheduler_turns_note_attempt(struct scheduler_turns *turns, struct scheduler_turn *turn,
                                  const char *message, int64_t now_ns)
{
    bool is_nodeless = text_equal(message, NO_NODES);
    note_pace(turns, now_ns);
    turns->seen_ns = now_ns;
    scheduler_turns_forget(turns, turn);
    if (is_nodeless)
        pass_nodeless(turns, turn->at, now_ns);
    put_last(turns, turn, now_ns);
    turn->is_nodeless = is_nodeless;
    if (turns->tried.count > 2 * turns->tried_count + GAPS_LEAST)
        close_gaps(turns);
}

// --- what is left to try -------------------------------------------------------------------------
void scheduler_turns_note_move(struct scheduler_turns *turns, int64_t now_ns)
{
    turns->moved_ns = now_ns;
}

static bool is_to_be_tried(const struct scheduler_turns *turns, const struct scheduler_turn *turn)
{
    return turn != NULL && turn->at < turns->moved_ns;
}

int64_t scheduler_turns_left_ns(const struct scheduler_turns *turns, uint32_t waiting)
{
    uint32_t left = waiting > turns->tried_count ? waiting - turns->tried_count : 0;
    vector_for_each (slot, &turns->tried)
        left += is_to_be_tried(turns, *slot);
    return ns_multiply(ns_maximum(turns->pace_ns, PACE_LEAST_NS), left);
}

int64_t scheduler_turns_since(const struct scheduler_turns *turns)
{
    return ns_maximum(turns->seen_ns, turns->moved_ns);
}

void scheduler_turns_settle(struct scheduler_turns *turns, int64_t now_ns)
{
    uint32_t end = turns->tried.count;
    for (uint32_t i = turns->first; i < end; i++)
        if (is_to_be_tried(turns, turns->tried.items[i]))
            move_last(turns, turns->tried.items[i], now_ns);
    close_gaps(turns);
}
