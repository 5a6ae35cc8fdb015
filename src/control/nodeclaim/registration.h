// Registration: a Node with the NodeClaim's provider ID has appeared (LIF-40 to LIF-49).
#pragma once

#include "control/nodeclaim/claim_pass.h"

void claim_register(struct claim_pass *pass);  // LIF-40 to 49
void claim_open_node(struct claim_pass *pass); // SCH-516
