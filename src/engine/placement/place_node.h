// Existing nodes (SCH-190 to SCH-200).
#pragma once

#include "engine/pass/pass_state.h"
#include "engine/topology/topology.h"

// SCH-190 to SCH-200: places the pod on the first node in order that accepts it.
bool place_on_nodes(struct pass *pass, uint32_t pod, uint32_t class);
// Places the pod on a node that has accepted it.
void node_accept(struct pass *pass, uint32_t index, uint32_t pod, uint32_t class);
