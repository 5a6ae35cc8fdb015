// Zones that ARC zonal shift moves traffic away from (AWI-650 to 652, 942). The state alone; its
// controller refreshes it.
#pragma once

#include <jansson.h>

#include "base/loop.h"

struct zonal_shift;
struct zonal_shift *zonal_shift_create(struct loop *loop);
void zonal_shift_destroy(struct zonal_shift *shift); // NULL is fine
// A reply of GetManagedResource. Returns whether the set of shifted zones has changed.
bool zonal_shift_update(struct zonal_shift *shift, const json_t *reply);
bool zonal_shift_has(void *shift, const char *zone_id); // fits ec2_types_options.zone_is_shifted
