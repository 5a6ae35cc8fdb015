// The first steps of a disruption command: taint and mark on its Nodes, the reason on its
// NodeClaims (DIS-301, DIS-302), then the wait for its validation.
#pragma once

#include "control/disruption/command_step.h"

// Marks are still to be written, and budgets do not allow them any more (DIS-790).
bool step_breaks_budgets(const struct step *step);
struct reconcile_result step_taint(struct step *step);
struct reconcile_result step_reason(struct step *step);
