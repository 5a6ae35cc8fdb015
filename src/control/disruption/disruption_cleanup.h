// Cleanup of Nodes and NodeClaims that disruption commands leave behind (DIS-12, DIS-13, DIS-793):
// taint and mark, the condition DisruptionReason, and replacements without a command.
//
// The controller disruption.leftovers examines each marked object without a command at every
// change. So it also reverts a write whose answer was lost and that the mirror shows only after the
// end of the command. A rollback leaves the command's nodes to it. Each object is written by
// itself: a request without an answer delays neither the command's other nodes nor the next
// evaluation.
#pragma once

#include "control/command/disruption_command.h"

struct commands;
struct disruption_cleanup;
struct disruption_cleanup *disruption_cleanup_create(struct control *control,
                                                     const struct commands *commands);
void disruption_cleanup_destroy(struct disruption_cleanup *leftovers); // NULL is fine

// Once, after a predecessor's commands have been taken over: it changes nothing before.
void disruption_cleanup_begin(struct disruption_cleanup *leftovers);
// Clears the command's nodes; true: some are not clear yet by the mirror, and the queue is to call
// again when it changes.
bool disruption_cleanup_take_back(struct disruption_cleanup *leftovers,
                                  const struct disruption_command *command);
// The command is over: its replacements belong to no command.
void disruption_cleanup_release(struct disruption_cleanup *leftovers, const char *claim);
