// The controller nodeclaim.consistency (LIF-180): it compares the Node's shape with its NodeClaim.
#pragma once

#include "control/runtime/control.h"

struct consistency *consistency_create(struct control *control); // LIF-180
void consistency_destroy(struct consistency *consistency);
// Adds the next deviation of the Node's shape from its NodeClaim; `at` is 0 at first. False: there
// are no more, nothing is added.
bool node_shape_issue(const struct node_claim *claim, const struct node *node, uint32_t *at,
                      struct text *issue);
