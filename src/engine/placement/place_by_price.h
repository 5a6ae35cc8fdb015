// Claims by what they cost: an emptier claim is not better than one that has a machine
// with room already, and neither is better than a node of another kind that is cheap. A pass of
// such choices decides domains and terms by price; a packer then packs anew what it has decided.
#pragma once

#include "engine/pass/pass_state.h"
#include "engine/topology/topology.h"

// The claim, an open or a new one, whose cheapest machine grows least in price; places the pod.
bool place_by_price(struct pass *pass, uint32_t pod, uint32_t class);
