#include "control/state/scheduler_turns.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "control/state/pod_index.h"
#include "model/reading/pod.h"

#define NO_NODES "no nodes available to schedule pods"
#define RETRY_NS (1500 * MILLISECOND) // the first backoff, and half the period of its check
// Attempts with a longer pause between them do not follow each other.
#define PACE_MAX_NS (200 * MILLISECOND)
#define PACE_WEIGHT 32
#define GAPS_LEAST  64
#define FASTEST_NS  (2 * MILLISECOND) // an attempt that does not show

void scheduler_turns_free(struct scheduler_turns *turns)
{
    vector_free(&turns->tried);
}

int64_t scheduler_turns_next(struct scheduler_turns *turns, int64_t now_ns)
{
    turns->last = ns_maximum(now_ns, ns_add(turns->last, 1));
    return turns->last;
}

// "0/12 nodes are available: ..."
static int64_t nodes_of(const char *message)
{
    if (message == NULL || text_equal(message, NO_NODES))
        return message != NULL ? 0 : -1;
    char *end = NULL;
    int64_t nodes = strncmp(message, "0/", 2) == 0 ? strtoll(message + 2, &end, 10) : -1;
    return end != NULL && strncmp(end, " nodes", 6) == 0 && nodes >= 0 ? nodes : -1;
}

// --- the tried pods ------------------------------------------------------------------------------
static void close_gaps(struct scheduler_turns *turns)
{
    uint32_t kept = 0;
    vector_for_each (slot, &turns->tried) {
        if (*slot == NULL)
            continue;
        (*slot)->turn.index = kept;
        turns->tried.items[kept++] = *slot;
    }
    turns->tried.count = kept;
    turns->first = 0;
}

static void take_out(struct scheduler_turns *turns, struct pod_record *record)
{
    turns->tried.items[record->turn.index] = NULL;
    turns->tried_count--;
    record->turn.is_tried = false;
}

static void put_last(struct scheduler_turns *turns, struct pod_record *record, int64_t now_ns)
{
    record->turn.at = scheduler_turns_next(turns, now_ns);
    record->turn.index = turns->tried.count;
    record->turn.is_tried = true;
    turns->tried_count++;
    vector_push(&turns->tried, record);
}

void scheduler_turns_forget(struct scheduler_turns *turns, struct pod_record *record)
{
    if (record->turn.is_tried)
        take_out(turns, record);
}

// --- attempts ------------------------------------------------------------------------------------
static void note_pace(struct scheduler_turns *turns, int64_t now_ns)
{
    int64_t gap_ns = ns_subtract(now_ns, turns->attempted_ns);
    turns->attempted_ns = now_ns;
    if (gap_ns <= PACE_MAX_NS)
        turns->pace_ns = ns_add(turns->pace_ns, ns_subtract(gap_ns, turns->pace_ns) / PACE_WEIGHT);
}

// The pod may have been tried unseen before the one whose attempt shows now. Without nodes each pod
// is tried again after a while.
static bool may_have_passed(const struct pod_record *record, int64_t nodes, int64_t now_ns)
{
    return record->turn.nodes == nodes && !pod_is_nominated(record->pod) &&
           (nodes != 0 || ns_subtract(now_ns, record->turn.at) >= RETRY_NS);
}

static uint32_t count_passed(const struct scheduler_turns *turns, uint32_t end, int64_t nodes,
                             int64_t now_ns)
{
    uint32_t count = 0;
    for (uint32_t i = turns->first; i < end; i++) {
        const struct pod_record *record = turns->tried.items[i];
        count += record != NULL && may_have_passed(record, nodes, now_ns);
    }
    return count;
}

// Those before the index that have been tried in the same round come last, in the same order. There
// was time for that since the last attempt that showed.
static void pass(struct scheduler_turns *turns, uint32_t end, int64_t nodes, int64_t since_ns,
                 int64_t now_ns)
{
    int64_t needed_ns = ns_multiply(FASTEST_NS, count_passed(turns, end, nodes, now_ns));
    if (nodes != 0 && needed_ns > ns_subtract(now_ns, since_ns))
        return;
    for (uint32_t i = turns->first; i < end; i++) {
        struct pod_record *record = turns->tried.items[i];
        turns->first += record == NULL && i == turns->first;
        if (record == NULL || !may_have_passed(record, nodes, now_ns))
            continue;
        take_out(turns, record);
        put_last(turns, record, now_ns);
    }
}

static uint32_t end_of_earlier(const struct scheduler_turns *turns, int64_t at)
{
    uint32_t end = 0;
    for (uint32_t i = turns->first; i < turns->tried.count; i++) {
        if (turns->tried.items[i] == NULL)
            continue;
        if (turns->tried.items[i]->turn.at >= at)
            break;
        end = i + 1;
    }
    return end;
}

// A new pod is tried because it is new: no round needs to be under way, unless there are no nodes.
void scheduler_turns_note_attempt(struct scheduler_turns *turns, struct pod_record *record,
                                  const char *message, int64_t now_ns)
{
    int64_t nodes = nodes_of(message);
    uint32_t end = record->turn.is_tried ? record->turn.index
                   : nodes == 0          ? end_of_earlier(turns, record->turn.at)
                                         : turns->tried.count;
    bool is_round = nodes == 0 || (record->turn.is_tried && nodes > 0);
    int64_t since_ns = turns->attempted_ns;
    note_pace(turns, now_ns);
    scheduler_turns_forget(turns, record);
    if (is_round)
        pass(turns, end, nodes, since_ns, now_ns);
    put_last(turns, record, now_ns);
    record->turn.nodes = nodes;
    if (turns->tried.count > 2 * turns->tried_count + GAPS_LEAST)
        close_gaps(turns);
}

// --- what is left to try -------------------------------------------------------------------------
void scheduler_turns_note_move(struct scheduler_turns *turns, int64_t now_ns)
{
    turns->moved_ns = now_ns;
}

static bool is_to_be_tried(const struct scheduler_turns *turns, const struct pod_record *record)
{
    return record != NULL && record->turn.at < turns->moved_ns;
}

int64_t scheduler_turns_left_ns(const struct scheduler_turns *turns, uint32_t waiting)
{
    uint32_t left = waiting > turns->tried_count ? waiting - turns->tried_count : 0;
    vector_for_each (slot, &turns->tried)
        left += is_to_be_tried(turns, *slot);
    return ns_multiply(turns->pace_ns, left);
}

void scheduler_turns_settle(struct scheduler_turns *turns, int64_t now_ns)
{
    uint32_t end = turns->tried.count;
    for (uint32_t i = turns->first; i < end; i++) {
        struct pod_record *record = turns->tried.items[i];
        if (!is_to_be_tried(turns, record))
            continue;
        take_out(turns, record);
        put_last(turns, record, now_ns);
    }
    close_gaps(turns);
}
