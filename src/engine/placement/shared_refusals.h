// What many simulations over one problem need not ask again (DIS-703): nodes that refuse
// a pod whoever goes. Other nodes that go free nothing on this one but volume claims, and they
// take no pods away from its hostname.
#pragma once

#include "engine/pass/pass_state.h"
#include "engine/topology/topology.h"

// Adds to the nodes that refuse the class in this pass those that do so in all passes that share
// pass->input.shared. Nothing to do without it, or if that was done before.
void shared_refusals_take(struct pass *pass, uint32_t class);
struct shared_nodes *shared_nodes_create(const struct problem *problem, struct arena *arena);
