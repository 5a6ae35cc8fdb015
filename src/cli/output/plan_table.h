// A plan as text, on standard output.
#pragma once

#include "model/snapshot/plan.h"
#include "model/snapshot/snapshot.h"

// `catalog`: one line about the plan's instance types and prices. Unschedulable pods have the first
// cause of each NodePool, and their explanation if there is one. `snapshot`: the plan's; static
// NodePools with too few or too many NodeClaims are shown from it.
void plan_print_table(const struct plan *plan, const struct snapshot *snapshot,
                      const char *catalog);
// The lines about the instance types and prices alone, as above a plan.
void plan_print_catalog(const char *catalog);
