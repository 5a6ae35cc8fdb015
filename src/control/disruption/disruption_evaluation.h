// One look at all nodes by the methods other than emptiness (DIS-11, DIS-703), or one look again at
// commands that are due (DIS-261 to DIS-263): a snapshot, and what the engine makes of it on a
// worker thread. Nodes of commands under way are no candidates; their pods need another place, so
// that commands never rely on the same room.
#pragma once

#include "control/disruption/disruption_parts.h"
#include "engine/disruption/revalidate.h"
#include "engine/engine.h"

struct disruption_evaluation {
    const struct disruption_parts *parts;
    struct control *control;
    struct snapshot *snapshot;
    struct arena *arena;
    struct disruption_inputs inputs;
    struct string_list busy, paused_nodes, moved_nodes, refused_nodes, paused_pools;
    struct spot_price_list spot_prices;
    struct scheduled_list scheduled;
    struct interruption_list interruptions;
    struct text errors; // NodePools whose instance types could not be read
    int64_t started_ns; // monotonic
    // Of a look at all nodes.
    struct plan *plan;   // NULL until it is made, or if it could not be made
    int64_t next_change; // snapshot_next_change(), or earlier if the plan says so
    // Of a look again: one for each command, by its identifier. Without checks it is the other.
    struct command_check *checks;
    const char **ids;
    uint32_t checks_count;
    bool checked;
    struct error error;
};

// Wall clock: the first instant after the snapshot at which something that holds a node back ends
// by itself (DIS-705): a nomination, a pod's protection, a budget's window. INT64_MAX: nothing.
int64_t snapshot_next_change(const struct snapshot *snapshot);

struct disruption_evaluation *evaluation_create(const struct disruption_parts *parts);
// Of the commands that are due, of emptiness only those that plan places; NULL: none is. They are
// being checked from now on.
struct disruption_evaluation *evaluation_create_check(const struct disruption_parts *parts);
void evaluation_destroy(struct disruption_evaluation *sweep); // NULL is fine
// The pure part, for a worker thread.
void evaluation_work(struct disruption_evaluation *sweep);

// What came of it, on the loop's thread. The decisions become commands; the others are confirmed or
// cancelled. Answers how many.
uint32_t evaluation_carry_out(struct disruption_evaluation *sweep);
