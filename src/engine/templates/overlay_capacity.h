// What a NodeOverlay says of a type's capacity (SCH-400, SCH-405), with adze's multiplier: an
// annotation that makes several of each device, such as slices of a GPU, whatever the type has.
#pragma once

#include "base/memory.h"
#include "model/schema/karpenter.h"

// "nvidia.com/gpu=4": four for each one of the type; several by commas.
#define ANNOTATION_CAPACITY_MULTIPLIER "adze.dev/capacity-multiplier"

bool overlay_multiplies(const struct node_overlay *overlay);
bool overlay_multipliers_valid(const struct node_overlay *overlay);
// The capacity that the overlay sets on machines of the type, sorted by name. What it states by
// itself wins over a multiple.
struct resource_map overlay_capacity(struct arena *arena, const struct node_overlay *overlay,
                                     const struct instance_type *type);
