// The methods of disruption in their order (DIS-11). Each adds its commands to the plan; methods
// after the first that adds a command do not run.
#pragma once

#include "engine/problem/plan_options.h"
#include "model/snapshot/plan.h"

struct disruption;
struct problem;

// Adds the commands to `plan`, which already holds the decision for the problem's pending pods. The
// problem has its movable pods and no error.
void disruption_plan(struct problem *problem, const struct plan_options *options,
                     struct plan *plan);
// Runs one method under the problem's strategy.
void disruption_method_decide(struct disruption *disruption, enum disruption_method method);
