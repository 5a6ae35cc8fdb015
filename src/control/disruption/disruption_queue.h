// The controller disruption.queue (DIS-300 to DIS-333): commands under way.
//
// A command first taints its nodes, so that no new pod is bound there. Then it waits for its
// validation by the disruption controller (DIS-725), creates its replacements, waits until they are
// ready and deletes the NodeClaims; or it is rolled back. A node is in one command at most
// (DIS-310), and so is a replacement. After a restart the commands are rebuilt from their marks
// (DIS-724).
#pragma once

#include "control/command/disruption_command.h"
#include "control/disruption/disruption_parts.h"

// The commands under way are in parts->commands.
struct disruption_queue *disruption_queue_create(const struct disruption_parts *parts);
void disruption_queue_destroy(struct disruption_queue *queue);

// Takes the command over and starts it. A command without nodes, or with a node of another command,
// is dropped.
void disruption_queue_add(struct disruption_queue *queue, struct disruption_command *command);

// Validated: the nodes are replaced. Rejected: the command is rolled back. `kind`: DIS-267.
void disruption_queue_confirm(struct disruption_queue *queue, struct disruption_command *command);
// Before the confirmation: these nodes of the command stay.
void disruption_queue_leave_out(struct disruption_queue *queue, struct disruption_command *command,
                                const struct string_list *nodes, enum cancel_kind kind);
void disruption_queue_cancel(struct disruption_queue *queue, struct disruption_command *command,
                             enum cancel_kind kind, const char *why);
// Earliest validation, monotonic, of the commands of emptiness or of all others; INT64_MAX: none
// waits.
int64_t disruption_queue_next_due(const struct disruption_queue *queue, bool of_emptiness);
