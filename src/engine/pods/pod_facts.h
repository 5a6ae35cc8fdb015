// What disruption reads of running pods, worked out once for all methods and candidates (DIS-703).
#pragma once

#include "engine/pods/pdb.h"
#include "engine/problem/state_node.h"

enum {
    POD_MOVES = 1,          // DIS-48
    POD_HELD = 2,           // active, and not to be disrupted (DIS-40); or unreadable
    POD_EVICTABLE = 4,      // LIF-110
    POD_UNREADY = 8,        // DIS-45
    POD_RESCHEDULABLE = 16, // SCH-23
    POD_SERVING = 32,       // DIS-761
    POD_LEAVING = 64,       // pod_is_leaving()
    POD_COSTS_ONE = 128,    // its eviction and its disruption cost 1 (DIS-55, DIS-757)
    POD_HAS_RULES = 256,    // spreads or affinities are in its spec
    POD_AS_LAST = 512,      // of the same workload as the running pod before it
};
#define BUDGET_NONE    UINT32_MAX
#define BUDGET_SEVERAL (UINT32_MAX - 1)

struct pod_facts {
    uint32_t budget; // of an evictable pod: the only one that it counts against, BUDGET_NONE, or
                     // BUDGET_SEVERAL: to be found anew
    uint32_t flags;
};
// `matches` is scratch, the caller's to free.
struct pod_facts pod_facts_of(const struct pdb_index *budgets, const struct pod *pod, int64_t now,
                              struct pdb_matches *matches);
// Of all running pods, by index in nodes->running; in `arena`.
struct pod_facts *pod_facts_create(struct arena *arena, const struct state_nodes *nodes,
                                   const struct pdb_index *budgets, int64_t now);
// The pod's budgets, in place of what was in `matches` before; none of one that is not evictable.
void pod_facts_budgets(const struct pod_facts *facts, const struct pdb_index *budgets,
                       const struct pod *pod, struct pdb_matches *matches);
