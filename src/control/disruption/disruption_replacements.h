// The replacements of a disruption command's nodes (DIS-304 to DIS-308, DIS-323, DIS-330; adze's
// own: DIS-723, DIS-726, DIS-727, DIS-731).
#pragma once

#include "control/command/commands.h"
#include "control/disruption/disruption_parts.h"
#include "reconcile/operations.h"

// The reason why the replacements must not be created now: the limits of their NodePools. NULL:
// they may. Outside of COMPATIBILITY=upstream the command's own nodes do not count: the total
// exceeds a limit by their capacity at most.
const char *replacements_refused(const struct disruption_parts *parts,
                                 const struct disruption_command *command);
// The name of a replacement that existed and is lost; NULL: none is.
const char *replacements_lost(const struct control *control,
                              const struct disruption_command *command);
// Starts the create call unless the NodeClaim exists; returns the number of started calls (0, 1).
uint32_t replacement_create(const struct disruption_parts *parts,
                            const struct operation_about *about, struct disruption_command *command,
                            struct command_replacement *replacement);
enum replacements_state {
    REPLACEMENTS_LOST,      // one is gone or going
    REPLACEMENTS_LAUNCHING, // one has no machine yet
    REPLACEMENTS_WAITING,   // one is not initialized, or its Node is not Ready
    REPLACEMENTS_READY,
};
// Reports the replacements that are not ready. LOST: `*gone` is the name.
enum replacements_state replacements_state(struct control *control,
                                           struct disruption_command *command, const char **gone);
uint32_t replacements_not_initialized(const struct control *control,
                                      const struct disruption_command *command);
// Protects them from disruption until the queue's next step (DIS-727). Pods that come late are
// pending then, which keeps an empty node, too (DIS-765); if none comes, it may be removed at once.
void replacements_nominate(struct control *control, const struct disruption_command *command);
// Protects the empty nodes where pods of the command's nodes are to go, for some seconds and as
// long as these pods are there (DIS-755); no longer if the command has lasted for long.
void targets_hold(struct control *control, const struct disruption_command *command);
// Deletes those without pods, at once unless their Nodes have joined and are not initialized: these
// stay for a while for inspection. Returns the number of started calls.
uint32_t replacements_give_up(struct control *control, struct operation_about *about,
                              const struct disruption_command *command);
bool replacement_has_joined(const struct node_claim *claim); // registered, not initialized yet
// A replacement of a finished command that never became initialized, has no pods and has been there
// for long enough to be inspected.
bool replacement_is_abandoned(struct control *control, const struct commands *commands,
                              const struct node_claim *claim);
void replacement_release(const struct disruption_parts *parts,
                         const struct command_replacement *replacement);
