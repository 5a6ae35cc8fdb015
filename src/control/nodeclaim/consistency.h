// The controller nodeclaim.consistency (LIF-180): does the Node have the shape that was promised?
#pragma once

#include "control/runtime/control.h"

struct consistency *consistency_create(struct control *control); // LIF-180
void consistency_destroy(struct consistency *consistency);
// The next thing that the Node's shape is short of, by what its NodeClaim promised; `at` is 0 at
// first. False: that was all, nothing is added.
bool node_shape_issue(const struct node_claim *claim, const struct node *node, uint32_t *at,
                      struct text *issue);
