// The types that may replace dearer nodes: types that are cheaper whatever is launched
// (DIS-167), or cheaper in some zones (DIS-740).
#pragma once

#include "engine/placement/pass.h"

// Drops the rows that could cost `price` or more, launched as `set` says. Whether there were any.
bool keep_cheaper(struct problem *problem, struct claim *claim, uint32_t set, int64_t price);
// Narrows the claim to zones in which what is left of its rows costs less: the one with the
// cheapest offering, and all others that leave as many rows. No rows are left if there is none.
void cheap_zones_only(struct problem *problem, struct claim *claim, int64_t price);
