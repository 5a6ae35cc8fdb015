// The disruption commands under way, by node and by replacement. A node is in one command at most
// (DIS-310), and so is a replacement. The queue that runs them (disruption_queue.h) adds and
// removes them; all higher rooms read them.
#pragma once

#include "base/map.h"
#include "control/command/disruption_command.h"

struct commands;
struct commands *commands_create(void);
void commands_destroy(struct commands *commands); // with all its commands; NULL is fine

// Takes the command over and numbers it. False: it has no nodes, or one of them is in another
// command; the command is destroyed.
bool commands_add(struct commands *commands, struct disruption_command *command);
// Returns the ownership of the command to the caller.
void commands_remove(struct commands *commands, const struct disruption_command *command);

// The command's node goes over to another command, which is yet to be added.
void commands_move_node(struct commands *commands, struct control *control,
                        struct disruption_command *from, const char *node,
                        struct disruption_command *to);

// The commands that a predecessor left are known, too (DIS-724). Until then
// a node that it replaces looks like one that stays.
void commands_note_recovered(struct commands *commands);
bool commands_are_recovered(const struct commands *commands);

bool commands_has(const struct commands *commands, const char *node);
// The command that the Node, or the NodeClaim of one of its nodes, is in; NULL: none.
const struct disruption_command *commands_of_node(const struct commands *commands,
                                                  const char *node);
const struct disruption_command *commands_of_candidate(const struct commands *commands,
                                                       const char *claim);
// The command that the NodeClaim is a replacement of; NULL: none.
const struct disruption_command *commands_of_replacement(const struct commands *commands,
                                                         const char *claim);
// The command that the NodeClaim is a candidate or a replacement of; NULL: none.
const struct disruption_command *commands_of_claim(const struct commands *commands,
                                                   const char *claim);
struct disruption_command *commands_find(const struct commands *commands, const char *id);
uint32_t commands_count(const struct commands *commands);
// Those that may still change, without deletions whose nodes are being drained, which may take
// hours.
bool commands_are_active(const struct commands *commands);
uint32_t commands_nodes(const struct commands *commands); // of all commands
// In order of creation; `position` starts as NULL.
struct disruption_command *commands_next(const struct commands *commands,
                                         struct map_entry **position);

// --- replacements --------------------------------------------------------------------------------
// The NodeClaim with the replacement's name and the command's mark; NULL: there is none. A
// NodeClaim of that name without the mark is foreign.
const struct node_claim *replacement_claim(const struct control *control,
                                           const struct disruption_command *command,
                                           const struct command_replacement *replacement);
// A node that the NodeClaim replaces is gone or is being deleted: its pods need the replacement.
bool replacement_is_needed(const struct control *control, const struct commands *commands,
                           const struct node_claim *claim);
