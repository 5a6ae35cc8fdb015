// The two ways in which snapshots are read: upstream's, and adze's own, by COMPATIBILITY (FMT-18).
// Each member is something that they do differently, with its rule. docs/compatibility.md lists
// all.
#pragma once

#include <stdbool.h>

struct settings;

struct snapshot_strategy {
    bool refuses_duplicate_types; // FMT-8: two instance types of one name in a catalog
    bool plans_unexamined_pods;   // SCH-527: also pods that kube-scheduler has not tried yet, and
                                  // those nominated for a node that is not there
};
const struct snapshot_strategy *snapshot_strategy_of(const struct settings *settings);
