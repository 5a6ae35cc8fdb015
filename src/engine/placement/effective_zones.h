// Where pods may still go as their zones are concerned, before anything is placed (SCH-398).
#pragma once

#include "engine/problem/problem.h"

// Fills plan->zones: the pending pods of the queue by the zone that their own requirements, their
// volumes and the rules between pods leave them. Changes no decision of later passes.
void effective_zones_count(struct problem *problem, struct plan *plan);
