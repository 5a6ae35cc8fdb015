// Types that may replace more expensive nodes: cheaper at any launch (DIS-167), or cheaper in some
// zones (DIS-740).
#pragma once

#include "engine/placement/pass.h"

// Drops rows that could cost `price` or more when launched as `set`. True if any were dropped.
bool keep_cheaper(struct problem *problem, struct claim *claim, uint32_t set, int64_t price);
// Narrows the claim to zones in which its remaining rows cost less: the zone of the cheapest
// offering, and all others that leave as many rows. Leaves no rows if there is no such zone.
void cheap_zones_only(struct problem *problem, struct claim *claim, int64_t price);
