// Index of PodDisruptionBudgets by namespace and one label of their selectors: finds a pod's
// budgets (DIS-42, DIS-43, SCH-24) without testing each.
#pragma once

#include "base/vector.h"
#include "model/snapshot/snapshot.h"

struct pdb_index {
    const struct pod_disruption_budget **items; // by namespace/name
    uint32_t count;
    uint32_t *heads; // by hash: an entry's index + 1
    struct pdb_index_entry {
        uint64_t hash;
        uint32_t budget, next;
    } * entries;
    uint32_t mask;
    uint32_t *unreadable; // indexes of those whose selector is invalid: they match no pod
    uint32_t unreadable_count;
};
// Lives in `arena` and points into the snapshot.
struct pdb_index *pdb_index_create(struct arena *arena, const struct snapshot *snapshot);

struct pdb_matches { // indexes in pdb.items, ascending; the caller frees the vector
    VECTOR(uint32_t) items;
};
// Replaces the content of `matches` with the pod's budgets.
void pdb_index_find(const struct pdb_index *budgets, const struct pod *pod,
                    struct pdb_matches *matches);
// The first budget of the namespace with an invalid selector: the pods that it protects are unknown
// (DIS-708). NULL: there is none.
const struct pod_disruption_budget *pdb_index_unreadable(const struct pdb_index *budgets,
                                                         const char *namespace);
