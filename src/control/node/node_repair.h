// The controller node.health (LIF-195 to LIF-199; gate NodeRepair): it replaces a node that has
// been unhealthy for longer than the provider's repair policies tolerate, regardless of budgets,
// PDBs and do-not-disrupt: its pods get one second (LIF-122).
//
// The NodeClaim is deleted first and gets its deadline second. A process that dies in between
// leaves no past deadline on a node that may recover, whose next drain it would shorten. A node
// that recovers in between is still deleted by force: it is condemned.
#pragma once

#include "control/runtime/control.h"

struct node_repair *node_repair_create(struct control *control); // LIF-195; NULL if switched off
void node_repair_destroy(struct node_repair *repair);
