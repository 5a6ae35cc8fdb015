// Requirements as people write them: which keys, operators and values may be asked for (SCH-27 to
// SCH-29).
#pragma once

#include "engine/problem/problem.h"

// SCH-27 for one expression: appends what is wrong, errors joined by "; ".
void validate_expression(const struct problem *problem, struct text *errors,
                         const struct selector_requirement *expression);
