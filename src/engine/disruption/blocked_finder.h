// The facts behind the reasons why nodes stay, once the methods have been asked: which nodes have
// commands, and what the budgets left.
#pragma once

#include "engine/disruption/disruption.h"

struct pool_budget { // of one pool and reason, before the methods took anything
    bool known;
    int64_t remaining;
    const char *message; // why nothing remains; if texts are wanted
    const char *rule;    // the same; always
};
struct blocked_finder {
    struct disruption *disruption;
    uint32_t methods;            // the set of those that were asked
    struct bitset commanded;     // places in commands
    uint32_t *taken;             // by pool of the table: how many of its nodes are
    struct pool_budget *budgets; // by pool of the table and reason
};
void blocked_finder_begin(struct blocked_finder *finder, struct disruption *disruption,
                          uint32_t methods);

// The text is in the plan's arena; nothing is formatted unless texts are wanted.
struct blocked_reason blocked_reason_make(const struct blocked_finder *finder, const char *rule,
                                          const char *format, ...) PRINTF_LIKE(3, 4);
