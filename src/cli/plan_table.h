// A plan as text for people, on standard output.
#pragma once

#include "model/plan.h"

// `catalog`: one line that says which instance types and prices the plan is made of. `explain`: why
// pods without a place do not fit on each node, not only into each NodePool.
void plan_print_table(const struct plan *plan, const char *catalog, bool explain);
