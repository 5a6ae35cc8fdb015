// Creates the NodeClaims of a pass, in rounds of a hundred: a NodeClaim's body names up to 600
// types, and a large plan should not need much more memory than a small one.
#pragma once

#include "control/provisioning/provisioning_pass.h"

struct work_item;
struct claim_rounds;
// The pass has a plan; it stays where it is.
struct claim_rounds *claim_rounds_create(struct provisioning_pass *pass);
void claim_rounds_destroy(struct claim_rounds *rounds); // NULL is fine

// Starts the create calls of the next round that has any; answers how many. 0: all NodeClaims of
// the plan have been created, refused by the limits, or held back for others' trial (LIF-440).
//
// The limits are looked at anew each time, for all claims that are still to be created, in order:
// whatever else was launched meanwhile, they are kept (SCH-519).
uint32_t claim_rounds_start_next(struct claim_rounds *rounds, struct work_item *item);
