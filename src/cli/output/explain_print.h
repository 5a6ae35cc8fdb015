// Explanations for people (SCH-520), on a terminal of 100 columns.
#pragma once

#include "model/snapshot/plan.h"

#define EXPLAIN_WIDTH 100

// Everything that an explanation tells, each line indented by `indent` or more.
void explain_print(const struct plan_explanation *explanation, int indent);
// "InsufficientResources, NodePool default: no instance type has enough resources", up to what the
// message repeats of requirements and requests. The caller frees it.
char *explain_short_reason(const struct plan_reason *reason);
