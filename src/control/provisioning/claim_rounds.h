// Creates the NodeClaims of a pass in rounds of a hundred: a body names up to 600 types, and the
// memory of a large plan should be that of a small one.
#pragma once

#include "control/provisioning/provisioning_pass.h"

struct work_item;
struct claim_rounds;
// The pass has a plan; it stays where it is.
struct claim_rounds *claim_rounds_create(struct provisioning_pass *pass);
void claim_rounds_destroy(struct claim_rounds *rounds); // NULL is fine

// Starts the create calls of the next round that has any; returns their number. 0: all NodeClaims
// of the plan have been created, refused by the limits, or delayed by launch back-off (LIF-440).
//
// Each round checks the limits anew, for all claims that are still to be created, in order: they
// hold whatever else was launched meanwhile (SCH-519).
uint32_t claim_rounds_start_next(struct claim_rounds *rounds, struct work_item *item);
