// A plan as a table for people.
#pragma once

#include "model/plan.h"

void plan_print_table(const struct plan *plan, bool explain);
