// Packing policies of the pools (SCH-500).
#pragma once

#include "engine/problem/problem.h"

// Whether some pool asks for the lowest price.
bool pack_asks_lowest_price(const struct problem *problem);
// Whether all pools do.
bool pack_is_lowest_price(const struct problem *problem);
