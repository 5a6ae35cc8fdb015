// PodDisruptionBudgets that block eviction of a pod (DIS-43 to DIS-45, DIS-708). engine/pods/pdb.h
// finds the budgets of a pod; evictions.h counts what several commands need from one.
#pragma once

#include "engine/disruption/candidate_check.h"
#include "engine/pods/pdb.h"

struct arena;
struct pod_facts;

struct pdb_check {
    struct arena *arena; // of the messages
    const struct pdb_index *index;
    struct pdb_matches matches; // scratch; the owner frees its vector
};
// Why an evictable pod cannot be evicted now, with the check that says so; NULL: it can.
const char *pdb_blocks(struct pdb_check *pdbs, const struct pod *pod, const struct pod_facts *facts,
                       enum candidate_check *check);
