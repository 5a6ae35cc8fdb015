// Runs a property in a process of its own, so that a crash of the engine is a failure like any
// other: it has a seed and can be shrunk.
#pragma once

#include "properties/properties.h"

// As `check` itself; *why says by which signal or status it ended if it crashed.
bool guarded_check(property_check check, const json_t *world, uint64_t seed, struct text *why);
