// Validation of requirements that users write: keys, operators and values (SCH-27 to SCH-29).
#pragma once

#include "engine/problem/problem.h"

// SCH-27 for one expression: appends the errors, joined by "; ".
void validate_expression(const struct problem *problem, struct text *errors,
                         const struct selector_requirement *expression);
