// Which PodDisruptionBudgets a pod counts against (DIS-42, DIS-43, SCH-24), without asking each of
// them: they are found by their namespace and one of the labels that they select.
#pragma once

#include "base/vector.h"
#include "model/snapshot/snapshot.h"

struct pod_budgets {
    const struct pod_disruption_budget **items; // by namespace/name
    uint32_t count;
    uint32_t *heads; // by hash: an entry's index + 1
    struct pod_budgets_entry {
        uint64_t hash;
        uint32_t budget, next;
    } * entries;
    uint32_t mask;
    uint32_t *unreadable; // indexes of those whose selector is invalid: they match no pod
    uint32_t unreadable_count;
};
// Lives in `arena` and points into the snapshot.
struct pod_budgets *pod_budgets_create(struct arena *arena, const struct snapshot *snapshot);

struct pod_budget_matches { // indexes in pod_budgets.items, ascending; the caller frees the vector
    VECTOR(uint32_t) items;
};
// Those of the pod, in place of what was in `matches` before.
void pod_budgets_find(const struct pod_budgets *budgets, const struct pod *pod,
                      struct pod_budget_matches *matches);
// The first budget of the namespace whose selector is invalid, so that nobody knows whose pods it
// protects (DIS-708); NULL: there is none.
const struct pod_disruption_budget *pod_budgets_unreadable(const struct pod_budgets *budgets,
                                                           const char *namespace);
