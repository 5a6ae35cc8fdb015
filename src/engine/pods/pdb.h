// Which PodDisruptionBudgets a pod counts against (DIS-42, DIS-43, SCH-24), without asking each of
// them: they are found by their namespace and one of the labels that they select.
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
// Those of the pod, in place of what was in `matches` before.
void pdb_index_find(const struct pdb_index *budgets, const struct pod *pod,
                    struct pdb_matches *matches);
// The first budget of the namespace whose selector is invalid, so that nobody knows whose pods it
// protects (DIS-708); NULL: there is none.
const struct pod_disruption_budget *pdb_index_unreadable(const struct pdb_index *budgets,
                                                         const char *namespace);
