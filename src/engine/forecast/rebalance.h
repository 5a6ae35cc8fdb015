// What a cluster could cost if its pods were packed anew (LowestPrice), and the moves that lead
// there. Nodes that may not be disrupted stay with their pods; of the others those stay that the
// new plan could use as they are. Budgets, and whether a move pays, do not count: it is the goal,
// not what consolidation would do.
#pragma once

#include "engine/forecast/forecast_types.h"

struct rebalance {
    struct forecast *forecast; // nodes, moves, before, after; `first` is the plan; no rounds
    uint32_t held;             // nodes that may not be disrupted
    uint32_t free;             // the others
};
// False with *error if the plan fails. The snapshot outlives the result; forecast_destroy() frees
// it.
bool rebalance_find(const struct snapshot *snapshot, struct rebalance *rebalance,
                    struct error *error) MUST_USE;
