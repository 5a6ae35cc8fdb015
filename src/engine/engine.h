// The decision: a pure function from snapshot to plan (design.md idea 1).
//
// No I/O, no clock, no globals; the same snapshot gives the same plan, byte for byte, whatever the
// order of its arrays. Needs only model/ and base/.
#pragma once

#include "model/snapshot/plan.h"
#include "model/snapshot/snapshot.h"

enum explain_level {
    EXPLAIN_NOTHING, // costs nothing
    EXPLAIN_REASONS, // plan_unschedulable.reasons: a code and a text of each pool, counts of nodes
    EXPLAIN_FULL,    // the explanations too (SCH-520), and what limits took from each claim
};
struct disrupt_inputs;
struct plan_options {
    enum explain_level explain;
    const char *explain_pod; // "namespace/name": fill plan->choice if it has a place; or NULL
    bool zones;         // also count the pending pods by the zone that is left to them (SCH-398)
    bool disrupt;       // FMT-13: also plan the next disruption
    bool verdicts;      // of the disruption: also why each other node stays (DIS-770)
    const char *method; // emptiness, static-drift, drift, expiry, multi, single; NULL: in order
    const struct disrupt_inputs *inputs; // of the disruption; NULL: nothing is known (DIS-445)
};

// The plan of one provisioning pass. Never NULL except for a snapshot that no plan can be made of
// (a pass that ends with an error: SCH-25, SCH-282), which fills *error.
struct plan *engine_plan(const struct snapshot *snapshot, const struct plan_options *options,
                         struct error *error) MUST_USE;
