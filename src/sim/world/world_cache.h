// The cache's side of the world: filling it and taking it down. The reading side is in
// world_internal.h.
#pragma once

#include "sim/world/world_internal.h"

// The object has left the store. Frees it.
void world_cache_drop(struct world_object *object);
void world_cache_clear(struct world *world); // without telling the parts; frees the kinds' maps

// world.c: what the cache calls. leave: the old state (gone is set if it is the last); enter: the
// new one.
void world_leave(struct world *world, struct world_object *object);
void world_enter(struct world *world, struct world_object *object);
