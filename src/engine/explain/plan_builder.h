// Builds the plan of a finished pass (SCH-370 to SCH-379, SCH-384, FMT-10 to FMT-12).
#pragma once

#include "engine/pass/pass_state.h"
#include "engine/problem/plan_options.h"

#define LAUNCH_TYPES_MAX 600 // SCH-384, DIS-240

// Everything in the plan is copied into its arena or belongs to the snapshot.
void plan_build(struct pass *pass, const struct plan_options *options, struct plan *plan);

// The requirements of the claim's launch (SCH-261).
uint32_t claim_launch_set(struct pass *pass, const struct claim *claim);
// Adds the reason for a claim's unplaced pods if its cheapest types alone do not meet the minValues
// of the keys (SCH-384, DIS-240).
void add_cut_off_min_values(struct text *text, const struct problem *problem,
                            const struct node_template *template, const uint32_t *keys,
                            uint32_t count);
// Builds a claim that replaces nodes (DIS-171) from its current rows and set. Its types are sorted
// by the prices of the set `priced`, from which its own may have been narrowed (DIS-179).
void replacement_build(struct pass *pass, struct claim *claim, uint32_t priced, struct plan *plan,
                       struct plan_claim *out);
