// The controller disruption.queue (DIS-300 to DIS-333): commands under way.
//
// A command first puts the taint on its nodes, so that nothing new comes to them, then waits, is
// looked at again by the disruption controller (DIS-725), and only then creates its replacements,
// waits until they are ready and deletes the NodeClaims; or takes everything back. A node is in one
// command at most (DIS-310), and so is a replacement. After a restart the commands are put together
// again from their marks (DIS-724).
#pragma once

#include "control/command/disruption_command.h"
#include "control/disruption/disruption_parts.h"

// The commands under way are in parts->commands.
struct disruption_queue *disruption_queue_create(const struct disruption_parts *parts);
void disruption_queue_destroy(struct disruption_queue *queue);

// Takes the command over and starts it. A command with a node that is in another one already is
// dropped, and so is one without nodes.
void disruption_queue_add(struct disruption_queue *queue, struct disruption_command *command);

// Validated: the nodes go. Or not: everything is taken back. `kind`: DIS-267.
void disruption_queue_confirm(struct disruption_queue *queue, struct disruption_command *command);
void disruption_queue_cancel(struct disruption_queue *queue, struct disruption_command *command,
                             enum cancel_kind kind, const char *why);
// Earliest validation, monotonic, of the commands that emptiness looks at again itself, or of those
// that a check on the worker thread does; INT64_MAX: none waits.
int64_t disruption_queue_next_due(const struct disruption_queue *queue, bool of_emptiness);
