// Filling and clearing the world's cache. Reading it is in world_internal.h.
#pragma once

#include "sim/world/world_internal.h"

// From now on the part receives each change, after the parts that observe already.
void world_observe(struct world *world, world_change leave, world_change enter, void *part);

void world_cache_clear(struct world *world); // without notifying the parts; frees the kinds' maps
