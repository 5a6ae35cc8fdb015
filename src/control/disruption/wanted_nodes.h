// Pending pods that may need a node of a command (DIS-725, DIS-765); the rule for one pod and one
// node is the engine's (engine/disruption/wanted_node.h).
#pragma once

#include "control/command/disruption_command.h"
#include "control/disruption/disruption_parts.h"

// `arena` is for scratch.
bool wanted_nodes_have(const struct control *control, struct arena *arena, const struct node *node);
// Cancels the commands that wait for their validation and have such a node.
void wanted_nodes_cancel(const struct disruption_parts *parts);
// A command for the planned disruption of drifted nodes would be canceled so, at once: it is put
// off, for a minute at most (disruption_backoff.h); longer if the pod has no planned place.
bool wanted_nodes_refuse(const struct disruption_parts *parts,
                         const struct plan_disruption *planned);
