// Placeholder pods of CapacityBuffers (SCH-34, SCH-410 to 414, LIF-244).
#pragma once

#include "engine/problem/problem.h"

// Makes the placeholders of all buffers, by namespace, name and number. Returns 0 without the
// feature gate.
uint32_t buffers_placeholders(struct problem *problem, const struct pod ***placeholders);
