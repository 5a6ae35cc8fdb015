// The largest machine that a NodeClaim may still become while it is not launched (LIF-458). Limits
// of its NodePool count this capacity.
#pragma once

#include "control/runtime/control.h"

struct worst_case_capacity; // a computation's: types by name, looked up once a NodePool
struct worst_case_capacity *worst_case_capacity_create(struct control *control);
void worst_case_capacity_destroy(struct worst_case_capacity *largest);
// Per resource that the NodePool limits ("nodes" aside) the most that any of its types has, at
// least what it requests. In `arena`; the names are the NodePool's.
struct resource_map worst_case_machine(struct worst_case_capacity *largest, struct arena *arena,
                                       const struct node_pool *pool,
                                       const struct node_claim *claim);
