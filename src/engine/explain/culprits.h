// The requirements to blame where a NodePool has no instance type for a pod (SCH-520 part 2,
// GUI-13): as few as are found to leave out every type that is wanted.
//
// Not under COMPATIBILITY=upstream, whose reasons name no requirement.
#pragma once

#include "engine/pass/pass_state.h"

// Of a NodePool whose own requirements leave no type. In the arena; NULL: none is to blame.
const char *culprits_of_pool(struct problem *problem, const struct pool_state *pool,
                             struct arena *arena);
// Of a NodePool with types, none of which serves the class; `code` is the cause, `text` what the
// placement said. In the arena; NULL: no requirement is to blame, or the text names it.
const char *culprits_of_class(struct pass *pass, const struct node_template *template,
                              uint32_t class, enum reason_code code, const char *text,
                              struct arena *arena);
// "instance-category In [c, m, r]": well-known keys without their domain, and few of many values.
void requirement_add_short(struct text *text, const struct problem *problem,
                           const struct requirement *requirement);
