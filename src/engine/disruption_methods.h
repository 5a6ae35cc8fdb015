// The methods of disruption in their order (DIS-11): each adds its commands to the plan; the first
// that adds one is the last that is asked.
#pragma once

#include "engine/problem/plan_options.h"
#include "model/snapshot/plan.h"

struct disruption;
struct problem;

// Adds the commands to `plan`, which has the decision about the pending pods of the problem's
// snapshot. The problem has its movable pods, and no error.
void disruption_plan(struct problem *problem, const struct plan_options *options,
                     struct plan *plan);
// One method's turn, as the strategy has it.
void disruption_method_decide(struct disruption *disruption, enum disruption_method method);
