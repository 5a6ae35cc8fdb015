// Which node of a removal stands in its way.
#pragma once

#include "engine/disruption/removal_simulation.h"

// The index of the candidate with most pods that find no room on nodes that stay; among equals the
// last, which is worth least; the last one also where only other pods lose their places. NONE: all
// fit.
uint32_t removal_misfit(const struct disruption *disruption,
                        const struct removal_simulation *removal);
