// One evaluation of nodes, by emptiness or by the other methods (DIS-11, DIS-703), or one
// validation of due commands (DIS-261 to DIS-263): a snapshot, the engine's decision on a worker
// thread, and its execution on the loop. Nodes of commands under way are no candidates; their pods
// need other places, so that no two commands rely on the same room.
#pragma once

#include "control/disruption/disruption_parts.h"
#include "engine/disruption/revalidate.h"
#include "engine/engine.h"

enum evaluation_kind {
    EVALUATION_EMPTINESS, // evaluates all nodes, and validates emptiness's due commands
    EVALUATION_METHODS,   // evaluates all nodes by the other methods
    EVALUATION_DUE_NODES, // evaluates the drifted and the expiring nodes alone
    EVALUATION_CHECK,     // validates the other due commands
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
    // Of an evaluation of nodes.
    struct plan *plan;   // NULL until it is made, or if it could not be made
    int64_t next_change; // wall clock: when something that holds a node back ends by itself
                         // (DIS-705), or the plan wants another look; INT64_MAX: nothing
    bool has_refused;    // a decision that a pending pod would end at once (DIS-725)
    bool waits;          // emptiness: for what ends by the clock, or for what nothing tells of
    // Of a validation: one for each command, by its identifier.
    struct command_check *checks;
    const char **ids;
    uint32_t checks_count;
    bool checked;
    struct error error;
};

// Due commands are being validated from now on. NULL: no command is due for validation.
struct disruption_evaluation *evaluation_create(const struct disruption_parts *parts,
                                                enum evaluation_kind kind);
void evaluation_destroy(struct disruption_evaluation *evaluation); // NULL is fine
// The pure part, for a worker thread.
void evaluation_work(struct disruption_evaluation *evaluation);

struct evaluation_outcome {
    uint32_t commands; // started, confirmed or canceled
    bool put_off;      // emptiness found a command that may not start yet
};
// Carries the results out, on the loop's thread: decisions become commands; validated commands are
// confirmed or canceled. Emptiness checks the present state first; other commands are validated
// before they act. `may_start`: commands of emptiness may start now.
struct evaluation_outcome evaluation_carry_out(struct disruption_evaluation *evaluation,
                                               bool may_start);
