// Nodes on which planned pods can be bound, and pods that wait for them.
#pragma once

#include "control/runtime/control.h"

// The node is open, ready and has its devices. NULL: it is not there yet.
bool open_nodes_has(const struct control *control, const struct node_claim *claim,
                    const struct node *node);
// The first by priority of the pods of kube-scheduler that are planned for such nodes; NULL: there
// is none. The end of its nomination has kube-scheduler try all pods of its priority and of lower
// ones.
const struct pod *open_nodes_awaited_by(const struct control *control);
