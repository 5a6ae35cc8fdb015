// Refusals of nodes that hold for all simulations over one problem (DIS-703), whichever nodes are
// removed: the removal of other nodes frees only volume claims on this one, and takes no pods from
// its hostname.
#pragma once

#include "engine/pass/pass_state.h"
#include "engine/topology/topology.h"

// Adds the shared refusals of the class to those of this pass. Does nothing without
// pass->input.shared, or on a second call.
void shared_refusals_take(struct pass *pass, uint32_t class);
struct shared_nodes *shared_nodes_create(const struct problem *problem, struct arena *arena);
