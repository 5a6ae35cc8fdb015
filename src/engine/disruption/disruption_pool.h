// A NodePool for disruption: instance types, nodes and remaining budgets.
#pragma once

#include "model/schema/karpenter.h"

struct disruption_pool {
    const struct node_pool *pool;
    bool own_types;                              // a catalog names the pool
    const struct instance_type_catalog *catalog; // types for the pool; NULL: none
    int64_t total, disrupting;                   // DIS-125, DIS-126
    int64_t allowed, remaining;                  // for the current reason: DIS-120, DIS-127
    const char *budget_error;                    // DIS-121; or NULL
    double balanced_cost;                        // of pools with policy Balanced: DIS-190
    int64_t balanced_price;
};
