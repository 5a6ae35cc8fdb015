// Whether the budgets of its NodePools allow the marks of a disruption command at this moment
// (DIS-790). They did at the decision; but meanwhile other commands may have begun, nodes become
// unhealthy and windows ended.
#pragma once

#include "control/command/commands.h"

// Nodes of other commands count if they are marked, or if their command came first.
bool command_within_budgets(const struct control *control, const struct commands *commands,
                            const struct disruption_command *command);
