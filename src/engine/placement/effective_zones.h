// The zones that pods can still use before anything is placed (SCH-398).
#pragma once

#include "engine/problem/problem.h"

// Fills plan->zones: counts the queue's pending pods by the zones that their own requirements,
// their volumes and the rules between pods leave them. Does not affect later passes.
void effective_zones_count(struct problem *problem, struct plan *plan);
