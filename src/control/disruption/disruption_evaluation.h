// One look at all nodes, by emptiness or by the other methods (DIS-11, DIS-703), or one look again
// at commands that are due (DIS-261 to DIS-263): a snapshot, what the engine makes of it on a
// worker thread, and what becomes of that on the loop. Nodes of commands under way are no
// candidates; their pods need another place, so that commands never rely on the same room.
#pragma once

#include "control/disruption/disruption_parts.h"
#include "engine/disruption/revalidate.h"
#include "engine/engine.h"

enum evaluation_kind {
    EVALUATION_EMPTINESS, // looks at all nodes, and again at emptiness's commands that are due
    EVALUATION_METHODS,   // looks at all nodes by the other methods
    EVALUATION_CHECK,     // looks again at the other commands that are due
};
struct disruption_evaluation {
    enum evaluation_kind kind;
    const struct disruption_parts *parts;
    struct control *control;
    struct snapshot *snapshot;
    struct arena *arena;
    struct disruption_inputs inputs;
    struct string_list busy, paused_nodes, moved_nodes, refused_nodes, paused_pools;
    struct spot_price_list spot_prices;
    struct scheduled_list scheduled;
    struct interruption_list interruptions;
    struct text errors;    // NodePools whose instance types could not be read
    int64_t started_ns;    // monotonic
    uint64_t last_command; // number of the newest command in the snapshot
    // Of a look at all nodes.
    struct plan *plan;   // NULL until it is made, or if it could not be made
    int64_t next_change; // wall clock: when something that holds a node back ends by itself
                         // (DIS-705), or the plan wants another look; INT64_MAX: nothing
    bool waits;          // emptiness: for what ends by the clock, or for what nothing tells of
    // Of a look again: one for each command, by its identifier.
    struct command_check *checks;
    const char **ids;
    uint32_t checks_count;
    bool checked;
    struct error error;
};

// Commands that are due are being checked from now on. NULL: a check of none.
struct disruption_evaluation *evaluation_create(const struct disruption_parts *parts,
                                                enum evaluation_kind kind);
void evaluation_destroy(struct disruption_evaluation *evaluation); // NULL is fine
// The pure part, for a worker thread.
void evaluation_work(struct disruption_evaluation *evaluation);

struct evaluation_outcome {
    uint32_t commands; // that began, or were confirmed or cancelled
    bool put_off;      // emptiness found something that may not begin yet
};
// What comes of it, on the loop's thread: decisions become commands; those that were checked are
// confirmed or cancelled. Emptiness asks again what may have changed meanwhile; other commands are
// checked before they act. `may_start`: commands of emptiness may begin now.
struct evaluation_outcome evaluation_carry_out(struct disruption_evaluation *evaluation,
                                               bool may_start);
