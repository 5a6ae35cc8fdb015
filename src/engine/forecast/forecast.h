// What follows from a cluster as it is, or as an edit leaves it: the commands that come first, and,
// round by round, where that ends. Pure: every round is one decision of the engine (engine.h),
// carried out on a copy of the snapshot. Nothing fails on the way, launches get the cheapest
// machine that was asked for, and budgets are those of the snapshot's time.
#pragma once

#include "engine/forecast/forecast_types.h"

struct forecast_options {
    uint32_t rounds_max;
    // NodePools whose nodes have drifted just now: drift waits a moment (DIS-716), and
    // consolidation may come first. NULL: none.
    const struct string_list *fresh_drift;
};
// NULL with *error if a decision fails. The snapshot outlives the forecast.
struct forecast *forecast_create(const struct snapshot *snapshot,
                                 const struct forecast_options *options,
                                 struct error *error) MUST_USE;
// The same of one decision about the snapshot, which is at hand; `first` stays NULL.
struct forecast *forecast_of_plan(const struct snapshot *snapshot, const struct plan *plan,
                                  struct error *error) MUST_USE;
void forecast_destroy(struct forecast *forecast); // NULL is fine
