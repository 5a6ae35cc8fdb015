// The cache's side of the world: filling it and taking it down. The reading side is in
// world_internal.h.
#pragma once

#include "sim/world/world_internal.h"

// From now on the part is told of each change, after those that observe already.
void world_observe(struct world *world, world_change leave, world_change enter, void *part);

void world_cache_clear(struct world *world); // without telling the parts; frees the kinds' maps
