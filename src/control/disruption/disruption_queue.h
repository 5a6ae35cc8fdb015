// The controller disruption.queue (DIS-300 to DIS-333): commands under way.
//
// A command first puts the taint on its nodes, so that nothing new comes to them, then waits, is
// looked at again by the disruption controller (DIS-725), and only then creates its replacements,
// waits until they are ready and deletes the NodeClaims; or takes everything back. A node is in one
// command at most (DIS-310), and so is a replacement. After a restart the commands are put together
// again from their marks (DIS-724).
#pragma once

#include "control/command/disruption_command.h"

struct disruption_queue;
struct disruption_queue *disruption_queue_create(struct control *control);
void disruption_queue_destroy(struct disruption_queue *queue);

// Takes the command over and starts it. A command with a node that is in another one already is
// dropped, and so is one without nodes.
void disruption_queue_add(struct disruption_queue *queue, struct disruption_command *command);

bool disruption_queue_has(const struct disruption_queue *queue, const char *node);
// The command that the Node, or the NodeClaim of one of its nodes, is in; NULL: none.
const struct disruption_command *disruption_queue_of_node(const struct disruption_queue *queue,
                                                          const char *node);
const struct disruption_command *disruption_queue_of_candidate(const struct disruption_queue *queue,
                                                               const char *claim);
// The command that the NodeClaim is a replacement of; NULL: none.
const struct disruption_command *disruption_queue_of_replacement(
    const struct disruption_queue *queue, const char *claim);
uint32_t disruption_queue_count(const struct disruption_queue *queue);
uint32_t disruption_queue_nodes(const struct disruption_queue *queue); // of all commands
// In order of creation; `position` starts as NULL.
struct disruption_command *disruption_queue_next(const struct disruption_queue *queue,
                                                 struct map_entry **position);
// Emptiness validates it, on the loop: none of its pods needs a place that was planned.
bool command_is_of_emptiness(const struct control *control,
                             const struct disruption_command *command);
bool command_is_due(const struct disruption_queue *queue, const struct disruption_command *command);
// Validated: the nodes go. Or not: everything is taken back. `kind`: DIS-267.
void disruption_queue_confirm(struct disruption_queue *queue, struct disruption_command *command);
void disruption_queue_cancel(struct disruption_queue *queue, struct disruption_command *command,
                             const char *kind, const char *why);
struct disruption_command *disruption_queue_find(const struct disruption_queue *queue,
                                                 const char *id);
// Earliest validation, monotonic, of the commands that emptiness looks at again itself, or of those
// that a check on the worker thread does; INT64_MAX: none waits.
int64_t disruption_queue_next_due(const struct disruption_queue *queue, bool of_emptiness);
