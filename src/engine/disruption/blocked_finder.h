// The facts behind blocked reasons, after the methods have run: nodes with commands, and what the
// budgets left.
#pragma once

#include "engine/disruption/disruption.h"

struct pool_budget { // of one pool and reason, before any method used it
    bool known;
    int64_t remaining;
    const char *message; // why nothing remains; only if texts are requested
    const char *rule;    // the rule for that; always
};
struct blocked_finder {
    struct disruption *disruption;
    uint32_t methods;            // the set of methods that ran
    struct bitset commanded;     // nodes with commands, by index
    uint32_t *taken;             // by pool of the table: number of its nodes with commands
    struct pool_budget *budgets; // by pool of the table and reason
};
void blocked_finder_begin(struct blocked_finder *finder, struct disruption *disruption,
                          uint32_t methods);

// The text is in the plan's arena; it is only formatted if texts are requested.
struct blocked_reason blocked_reason_make(const struct blocked_finder *finder, const char *rule,
                                          const char *format, ...) PRINTF_LIKE(3, 4);
