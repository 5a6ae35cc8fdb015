// Initialization: the Node is ready for pods (LIF-60 to LIF-67).
#pragma once

#include "control/nodeclaim/claim_pass.h"

void claim_initialize(struct claim_pass *pass); // LIF-60 to 67
// LIF-61 to LIF-63 for a Node as it is: whether pods may be bound to it. The NodeClaim's taints
// count even if the Node does not have them yet.
bool node_will_be_initialized(const struct node_claim *claim, const struct node *node);
