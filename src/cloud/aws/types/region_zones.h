// The names of EC2's regions and zones, as far as the built-in price lists and EC2's rules tell.
//
// Letters of zones differ between accounts; a region has as many as the lists name ids, else three.
#pragma once

#include <stdbool.h>

#include "base/memory.h"

#define REGION_NAME_MAX 64

// The region that a zone's name begins with ("us-west-2" of us-west-2a and us-west-2-lax-1a).
// False: names of zones have another form.
bool zone_region(const char *zone, char region[REGION_NAME_MAX]);
bool region_is_known(const char *region);
bool zone_is_known(const char *zone);
// By name, NULL-terminated, in the arena.
const char *const *region_names(struct arena *arena);
// Those of the region itself, without local zones; NULL-terminated, in the arena.
const char *const *region_zone_names(struct arena *arena, const char *region);
