// What disruption commands leave on Nodes and NodeClaims that stay (DIS-12, DIS-13, DIS-793): taint
// and mark, the condition DisruptionReason, and replacements that no command waits for any more.
//
// The controller disruption.leftovers looks at each object that bears such a thing and belongs to
// no command, whenever it changes: so that a write whose answer was lost, and of which the mirror
// learns only when the command is long over, is taken back like any other. Commands that are taken
// back leave their nodes to it. Each object is written by itself: a request that gets no answer
// keeps neither the command's other nodes tainted nor the next look at the cluster waiting.
#pragma once

#include "control/command/disruption_command.h"

struct commands;
struct disruption_cleanup;
struct disruption_cleanup *disruption_cleanup_create(struct control *control,
                                                     const struct commands *commands);
void disruption_cleanup_destroy(struct disruption_cleanup *leftovers); // NULL is fine

// Once, when a predecessor's commands have been taken over: nothing is touched before.
void disruption_cleanup_begin(struct disruption_cleanup *leftovers);
// The command's nodes are cleared, or found to be clear; true: some are not yet. Answers for what
// the mirror says; the queue is to ask again when it changes.
bool disruption_cleanup_take_back(struct disruption_cleanup *leftovers,
                                  const struct disruption_command *command);
// The command is over and forgotten: its replacements are on their own.
void disruption_cleanup_release(struct disruption_cleanup *leftovers, const char *claim);
