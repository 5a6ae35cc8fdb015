// The controller node.termination (LIF-100 to LIF-140): it taints and drains a Node, waits for
// volumes, deletes the machine and removes the finalizer.
#pragma once

#include "control/runtime/control.h"

struct eviction_queue;
struct interruptions;
struct termination;
struct termination *termination_create(struct control *control, struct eviction_queue *evictions,
                                       struct interruptions *interruptions);
// Registers its handlers; until then it may only be passed on.
void termination_observe(struct termination *termination);
void termination_destroy(struct termination *termination);

// The Node is gone, by the answer to the patch that removed its last finalizer; the watch may lag
// by seconds in a wave of nodes.
bool termination_node_is_gone(const struct termination *termination, const struct node *node);
