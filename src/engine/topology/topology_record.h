// The groups of a pass, counted: at its start, and with every pod that is placed.
#pragma once

#include "engine/topology/topology_choice.h"

// Groups of every pod of the queue and of bound pods (SCH-278), counted.
void topology_start(struct pass *pass);
// Sorts out the class's groups, making those that are new (SCH-277).
void topology_prepare(struct pass *pass, uint32_t class);
// SCH-320: the pod is there.
void topology_record(struct pass *pass, uint32_t pod, uint32_t class, uint32_t set,
                     uint32_t hostname, uint32_t taints, bool is_claim);
