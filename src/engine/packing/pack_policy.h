// Packing policies of the pools (SCH-500).
#pragma once

#include "engine/problem/problem.h"

// True if some pool has the policy LowestPrice.
bool pack_asks_lowest_price(const struct problem *problem);
// True if all pools have it.
bool pack_is_lowest_price(const struct problem *problem);
