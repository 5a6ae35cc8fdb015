// Initialization: the Node is ready for pods (LIF-60 to LIF-67).
#pragma once

#include "control/nodeclaim/claim_pass.h"

void claim_initialize(struct claim_pass *pass); // LIF-60 to 67
// LIF-61 to LIF-63 on a Node as it is: whether a pod may be sent there. Taints that the NodeClaim
// has still to put on it count as if they were there.
bool node_will_be_initialized(const struct node_claim *claim, const struct node *node);
