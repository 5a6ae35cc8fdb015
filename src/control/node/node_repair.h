// The controller node.health (LIF-195 to LIF-199; gate NodeRepair): a node that has been unhealthy
// for longer than the provider's repair policies tolerate is replaced, without regard to budgets,
// PDBs and do-not-disrupt: its pods get one second (LIF-122).
//
// The NodeClaim is deleted first and given its deadline then. So a process that dies between the
// two leaves no deadline in the past on a node that recovers, whose next drain it would cut short.
// A node that recovers between the two goes by force nevertheless: it is condemned.
#pragma once

#include "control/runtime/control.h"

struct node_repair *node_repair_create(struct control *control); // LIF-195; NULL if switched off
void node_repair_destroy(struct node_repair *repair);
