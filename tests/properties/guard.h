// Runs a property in a separate process, so that a crash of the engine is a failure like any other,
// with a seed and shrinkable.
#pragma once

#include "properties/properties.h"

// As `check` itself; after a crash *why names the signal or status.
bool guarded_check(property_check check, const json_t *world, uint64_t seed, struct text *why);
