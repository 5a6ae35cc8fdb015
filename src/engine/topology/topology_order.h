// The order in which rules between pods want the queue to be worked off (SCH-510).
//
// Off under COMPATIBILITY=upstream.
#pragma once

#include "engine/topology/topology_choice.h"

// Queue indexes of all pods, into `order`: pods that the required affinity of others looks for go
// before the first of those others; else the order of the queue.
void topology_order(struct pass *pass, uint32_t *order);
