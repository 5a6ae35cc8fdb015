// Whether PodDisruptionBudgets keep a pod where it is (DIS-43 to DIS-45, DIS-708). Which ones
// select it is engine/pods/pdb.h; what several commands ask of one together is evictions.h.
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
// Why an evictable pod may not be evicted now, for people, with the check that says so; NULL: it
// may.
const char *pdb_blocks(struct pdb_check *pdbs, const struct pod *pod, const struct pod_facts *facts,
                       enum candidate_check *check);
