// Validation of earlier commands (DIS-261 to DIS-263, DIS-763). Pure.
#pragma once

#include "engine/problem/disruption_inputs.h"
#include "model/snapshot/plan.h"
#include "model/snapshot/snapshot.h"

struct command_check {
    enum disruption_reason reason; // of the command
    struct string_list nodes;      // its candidates that still exist
    uint32_t replacements;
    // Names of the replacement's possible types, if there is exactly one replacement.
    struct string_list types;
    bool is_guided; // its pods are led to their places (engine/placement/drain_guidance.h)
    // Output.
    enum cancel_kind kind; // CANCEL_NONE: valid
    const char *message;   // in the arena; NULL: valid
    // Where the pods of empty nodes, and of nodes that go without a replacement, are planned to go
    // (DIS-755, DIS-749); in the arena. None: as decided before.
    struct plan_moves moves;
    // Nodes that stay although the check is valid: a deletion of several nodes needs not all of
    // them. In the arena.
    struct string_list left_out;
    enum cancel_kind left_out_kind; // of the last one
};
// In the snapshot the checks' nodes must not be marked for deletion; those of other commands are.
// Valid checks count for later ones: budgets, room, replacements. False, with *error, if the
// snapshot cannot be compiled.
bool disruption_revalidate(const struct snapshot *snapshot, const struct disruption_inputs *inputs,
                           struct arena *arena, struct command_check *checks, uint32_t count,
                           struct error *error) MUST_USE;
