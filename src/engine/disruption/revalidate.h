// Commands that were decided a while ago, looked at again (DIS-261 to DIS-263, DIS-763). Pure.
#pragma once

#include "engine/problem/disruption_inputs.h"
#include "model/snapshot/plan.h"
#include "model/snapshot/snapshot.h"

struct command_check {
    enum disruption_reason reason; // of the command
    struct string_list nodes;      // those of its candidates that are still there
    uint32_t replacements;
    struct string_list
        types; // names that the replacement may be launched as, if there is one alone
    // The answer.
    enum cancel_kind kind;   // CANCEL_NONE: valid
    const char *message;     // in the arena; NULL: valid
    struct plan_moves moves; // the same: where the pods of empty nodes are to go (DIS-755)
};
// The nodes of the checks must not be marked for deletion in the snapshot; those of other commands
// are. Earlier checks that are valid count for later ones: budgets, room, replacements. False with
// *error if nothing can be made of the snapshot.
bool disruption_revalidate(const struct snapshot *snapshot, const struct disruption_inputs *inputs,
                           struct arena *arena, struct command_check *checks, uint32_t count,
                           struct error *error) MUST_USE;
