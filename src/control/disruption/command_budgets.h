// Whether the budgets of its NodePools allow what a disruption command is about to mark, at this
// moment (DIS-790). They did when it was decided; but a decision takes its time, and so may the
// writes of the marks, while other commands begin, nodes fall ill and windows close.
#pragma once

#include "control/command/commands.h"

// Of nodes of other commands those count that are marked, or whose command came first.
bool command_within_budgets(const struct control *control, const struct commands *commands,
                            const struct disruption_command *command);
