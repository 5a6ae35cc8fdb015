// Labels that new nodes get for the custom keys of their requirements (SCH-376, SCH-379, SCH-514).
#pragma once

#include "engine/problem/problem.h"

// The value for a claim of the template whose requirement on a custom key this is; "" if it gets no
// label. In the arena, or static.
const char *claim_label_value(struct problem *problem, const struct node_template *template,
                              const struct requirement *requirement, struct arena *arena);
