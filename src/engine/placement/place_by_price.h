// Placement by price: an emptier claim is no better than a claim whose machine has room, and
// neither is better than a cheap node of another kind. A pass of this kind decides domains and
// terms by price; then the packer packs the pods anew within them.
#pragma once

#include "engine/pass/pass_state.h"
#include "engine/topology/topology.h"

// Places the pod on the open or new claim whose cheapest machine rises least in price.
bool place_by_price(struct pass *pass, uint32_t pod, uint32_t class);
