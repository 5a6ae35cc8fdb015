// Drifted nodes of static pools (DIS-220, DIS-221, DIS-728): each gets one new node from the pool's
// template.
#pragma once

#include "engine/disruption/disruption.h"

void static_drift_decide(struct disruption *disruption);
