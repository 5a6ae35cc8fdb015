// Labels of new nodes for the custom keys of their requirements (SCH-376, SCH-379, SCH-514).
#pragma once

#include "engine/problem/problem.h"

// The label's value for a requirement on a custom key in a claim of the template; "" if the claim
// gets no such label. In the arena, or static.
const char *claim_label_value(struct problem *problem, const struct node_template *template,
                              const struct requirement *requirement, struct arena *arena);
