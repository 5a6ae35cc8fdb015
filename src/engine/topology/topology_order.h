// The queue order that rules between pods require (SCH-510).
//
// Off under COMPATIBILITY=upstream.
#pragma once

#include "engine/topology/topology_choice.h"

// Fills `order` with the queue indexes of all pods. Pods that another pod's required affinity
// selects go before the first such pod; otherwise the queue order holds.
void topology_order(struct pass *pass, uint32_t *order);
