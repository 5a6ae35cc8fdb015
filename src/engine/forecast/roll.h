// The order in which the nodes of one NodePool, Provisioner or node group give way to another
// NodePool (MIG-206). A step takes as many nodes as the pace allows - the budgets of the NodePool
// for drift, or a tenth of a group - and as PodDisruptionBudgets allow at one time; its pods are
// placed before the next step begins. The nodes are cordoned and get no successors of their kind.
// Pure.
#pragma once

#include "engine/forecast/forecast_types.h"

struct roll_request {
    const char *from;          // a NodePool, Provisioner or node group by name; or "LABEL:VALUE"
    const char *to;            // a NodePool
    const char *const *labels; // that may have `from` as their value, ending with NULL
};
struct held_node { // it cannot go
    const char *node, *why;
};
struct roll {
    struct forecast *forecast;   // rounds are steps, without commands
    const char *label, *value;   // of the nodes that are rolled
    uint32_t nodes;              // without those that are being deleted already
    LIST(struct held_node) held; // by name
    uint32_t bare_pods;          // without a controller: they do not come back
};
// False with *error: there are no such nodes or NodePool, or a plan fails. roll_free() in either
// case. The snapshot outlives the roll.
bool roll_find(const struct snapshot *snapshot, const struct roll_request *request,
               struct roll *roll, struct error *error) MUST_USE;
void roll_free(struct roll *roll);
