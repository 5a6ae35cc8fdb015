// Facts of running pods for disruption, computed once for all methods and candidates (DIS-703).
#pragma once

#include "engine/pods/pdb.h"
#include "engine/problem/state_node.h"

enum {
    POD_MOVES = 1,          // DIS-48
    POD_HELD = 2,           // active with do-not-disrupt (DIS-40), or unreadable
    POD_EVICTABLE = 4,      // LIF-110
    POD_UNREADY = 8,        // DIS-45
    POD_RESCHEDULABLE = 16, // SCH-23
    POD_SERVING = 32,       // DIS-761
    POD_LEAVING = 64,       // pod_is_leaving()
    POD_COSTS_ONE = 128,    // its eviction cost and its disruption cost are 1 (DIS-55, DIS-757)
    POD_HAS_RULES = 256,    // its spec has spreads or affinities
    POD_AS_LAST = 512,      // same workload as the preceding running pod
};
#define BUDGET_NONE    UINT32_MAX
#define BUDGET_SEVERAL (UINT32_MAX - 1)

struct pod_facts {
    uint32_t budget; // of an evictable pod: the index of its only budget, BUDGET_NONE, or
                     // BUDGET_SEVERAL: look them up
    uint32_t flags;
};
// `matches` is scratch that the caller frees.
struct pod_facts pod_facts_of(const struct pdb_index *budgets, const struct pod *pod, int64_t now,
                              struct pdb_matches *matches);
// Of all running pods, by index in nodes->running; in `arena`.
struct pod_facts *pod_facts_create(struct arena *arena, const struct state_nodes *nodes,
                                   const struct pdb_index *budgets, int64_t now);
// Replaces the content of `matches` with the pod's budgets; none if it is not evictable.
void pod_facts_budgets(const struct pod_facts *facts, const struct pdb_index *budgets,
                       const struct pod *pod, struct pdb_matches *matches);
