// Why nodes stay (DIS-770), as text on standard output.
#pragma once

#include "model/snapshot/plan.h"

// Grouped by rule and text, most nodes first; at most ten names of each.
void verdicts_print(const struct plan *plan);
// "Drifted: 2 nodes a b; 1 replacement: m5.large +3 (spot, us-west-2a); saves $0.0960 an hour".
void disruption_print(const struct plan_disruption *disruption);
