// A plan as text, on standard output.
#pragma once

#include "model/snapshot/plan.h"

// `catalog`: one line about the plan's instance types and prices. Unschedulable pods have the first
// cause of each NodePool, and their explanation if there is one.
void plan_print_table(const struct plan *plan, const char *catalog);
