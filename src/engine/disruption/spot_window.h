// Smoothing of spot prices, so that moves do not follow each fluctuation (DIS-750): a node counts
// at its lowest recent price, a replacement at its highest.
#pragma once

#include "engine/problem/disruption_inputs.h"
#include "engine/problem/problem.h"

// Raises the prices of spot offerings to the highest of the window. Call before the problem's
// prices are used.
void spot_window_raise(struct problem *problem, const struct spot_price_list *prices);
// The type's lowest price in the zone, or `price` if that is lower or no other is known.
int64_t spot_window_lowest(const struct spot_price_list *prices, const char *type, const char *zone,
                           int64_t price);
