// What a cluster could cost if its pods were packed anew (LowestPrice), and the moves that lead
// there. Nodes that may not be disrupted stay with their pods; of the others those stay that the
// new plan could use as they are. Budgets, and whether a move pays, do not count: it is the goal,
// not what consolidation would do. Where disruption comes to less by itself (more nodes become free
// on the way), its end is the goal.
#pragma once

#include "engine/forecast/forecast_types.h"

struct rebalance {
    struct forecast *packed;    // nodes, moves, before, after; `first` is the plan; no rounds
    struct forecast *by_itself; // what disruption comes to
    // The goal: the one that places more pods, then the cheaper one, then `packed`.
    const struct forecast *goal;
    uint32_t held; // nodes that may not be disrupted
    uint32_t free; // the others that do not go anyway
};
// False with *error if a plan fails; rebalance_free() in either case. The snapshot outlives the
// result. `rounds_max`: of by_itself.
bool rebalance_find(const struct snapshot *snapshot, uint32_t rounds_max,
                    struct rebalance *rebalance, struct error *error) MUST_USE;
void rebalance_free(struct rebalance *rebalance);
