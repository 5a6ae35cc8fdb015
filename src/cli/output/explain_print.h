// Explanations as text (SCH-520).
#pragma once

#include "model/snapshot/plan.h"

// The whole explanation, each line indented by `indent` or more.
void explain_print(const struct plan_explanation *explanation, int indent);
// "InsufficientResources, NodePool default: no instance type has enough resources", without the
// message's repetition of requirements and requests. The caller frees it.
char *explain_short_reason(const struct plan_reason *reason);
