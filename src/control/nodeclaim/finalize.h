// Deletion of a NodeClaim: its Node first, then its machine, then the finalizer (LIF-80 to LIF-86).
#pragma once

#include "control/nodeclaim/claim_pass.h"

struct reconcile_result claim_finalize(struct claim_pass *pass); // LIF-80 to 86
