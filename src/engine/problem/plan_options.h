// Options of a plan beside the decision itself.
#pragma once

#include <stdbool.h>

#include "model/reading/disruption_reason.h"

enum explain_level {
    EXPLAIN_NOTHING, // costs nothing
    EXPLAIN_REASONS, // plan_unschedulable.reasons: a code and a text of each pool, counts of nodes
    EXPLAIN_FULL,    // the explanations too (SCH-520), and what limits took from each claim
};

struct disruption_inputs;

struct plan_options {
    enum explain_level explain;
    const char *explain_pod; // "namespace/name": fill plan->choice if it has a place; or NULL
    bool zones;       // also count the pending pods by the zone that they can still use (SCH-398)
    bool disrupt;     // FMT-13: also plan the next disruption
    bool verdicts;    // of the disruption: also why every other node stays (DIS-770)
    uint32_t methods; // methods to run, in order: a set of METHOD_BIT(); 0: all
    const struct disruption_inputs *inputs; // of the disruption; NULL: nothing is known (DIS-445)
};
