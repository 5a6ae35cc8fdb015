// The context of a step of a disruption command, for each phase of the queue.
#pragma once

#include "control/command/commands.h"
#include "control/disruption/command_blockers.h"
#include "control/disruption/disruption_parts.h"
#include "reconcile/operations.h"

struct step {
    const struct disruption_parts *parts;
    struct control *control;
    struct disruption_command *command;
    struct operation_about about;
    uint32_t started; // operations
};

// Continues with the given phase at once.
struct reconcile_result step_go_on(struct step *step, enum command_phase phase);
// The command has failed: rollback by DIS-328. `which` may be empty.
struct reconcile_result step_fail(struct step *step, const char *what, const char *which);
// DIS-306: its nodes count as disrupted, or no longer.
void command_set_marked(struct control *control, const struct disruption_command *command,
                        bool marked);
// The blocker of its nodes now; none under COMPATIBILITY=upstream.
enum command_blocker step_blocker(const struct step *step, const struct pod **pod);
