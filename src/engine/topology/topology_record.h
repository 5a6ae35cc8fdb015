// Counts of a pass's groups: at its start, and after every placement.
#pragma once

#include "engine/topology/topology_choice.h"

// Makes and counts the groups of queued and bound pods (SCH-278).
void topology_start(struct pass *pass);
// Prepares the class's groups and makes new ones (SCH-277).
void topology_prepare(struct pass *pass, uint32_t class);
// The turn of a running pod has come: it no longer counts where it was (pass_input.as_scheduled).
void topology_leave(struct pass *pass, uint32_t pod);
// SCH-320: counts a placed pod.
void topology_record(struct pass *pass, uint32_t pod, uint32_t class, uint32_t set,
                     uint32_t hostname, uint32_t taints, bool is_claim);
