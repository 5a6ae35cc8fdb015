// Arithmetic on resource maps (SCH-113), saturating; results live in arena memory, sorted by name.
#pragma once

#include "base/quantity.h"
#include "model/schema/object.h"

struct resource_map resource_map_sum(struct arena *arena, const struct resource_map *a,
                                     const struct resource_map *b);
struct resource_map resource_map_maximum(struct arena *arena, const struct resource_map *a,
                                         const struct resource_map *b);
// `base` with the entries of `over` replaced or added.
struct resource_map resource_map_override(struct arena *arena, const struct resource_map *base,
                                          const struct resource_map *over);
// The same with one entry.
struct resource_map resource_map_with(struct arena *arena, const struct resource_map *base,
                                      const char *name, int64_t value);
bool resource_map_covers(const struct resource_map *room, const struct resource_map *requests);
// Subtracts the requests from the entries of `room`.
void resource_map_take(struct resource_map *room, const struct resource_map *requests);
