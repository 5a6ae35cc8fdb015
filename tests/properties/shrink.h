// Smaller worlds that break the same property.
#pragma once

#include "properties/properties.h"

// Removes documents, then parts of documents, one by one, as long as the property still fails for
// the same reason, and at most a fixed number of times. `world` fails the property. The caller owns
// the result.
json_t *world_shrink(const json_t *world, uint64_t seed, property_check check);
