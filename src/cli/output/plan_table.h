// A plan as text for people, on standard output.
#pragma once

#include "model/snapshot/plan.h"

// `catalog`: one line that says which instance types and prices the plan is made of. Pods without a
// place come with the first cause of each NodePool, and with all of their explanation if they have
// one.
void plan_print_table(const struct plan *plan, const char *catalog);
