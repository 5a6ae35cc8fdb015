// Zones that ARC zonal shift moves traffic away from (AWI-650 to 652, 942). The state alone; its
// controller refreshes it (zonal_shift_controller.h).
#pragma once

#include <jansson.h>

#include "base/loop.h"

// Zones of one region, with room to spare; more in an answer are ignored.
#define SHIFTED_ZONES_MAX 32

struct zonal_shift;
struct zonal_shift *zonal_shift_create(struct loop *loop);
void zonal_shift_destroy(struct zonal_shift *shift); // NULL is fine
// COMPATIBILITY=upstream (AWI-652): an answer that is not empty is laid over the former one, and
// autoshifts are not read. Else each answer replaces the former one (AWI-942).
void zonal_shift_follow_upstream(struct zonal_shift *shift, bool upstream);
// A reply of GetManagedResource. Returns whether the set of shifted zones has changed since the
// last update: also by expiry.
bool zonal_shift_update(struct zonal_shift *shift, const json_t *reply);
bool zonal_shift_has(void *shift, const char *zone_id); // fits ec2_types_options.zone_is_shifted
// The ids of the zones that are shifted now, in byte order; borrowed until the next update.
// Returns their number.
uint32_t zonal_shift_zones(const struct zonal_shift *shift, const char *zones[SHIFTED_ZONES_MAX]);
