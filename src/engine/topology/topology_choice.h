// Candidates for rules between pods, and the domains that the rules leave (topology.h).
#pragma once

#include "engine/pass/pass_state.h"
#include "engine/topology/topology_base.h"

struct candidate {
    uint32_t set; // with the requirements of the pod and its volumes
    uint32_t hostname;
    uint32_t taints;
    bool is_claim;
    struct type_table *table;             // of a claim
    const struct node_template *template; // of a claim
    const struct bitset *rows, *fitting;  // of a claim: possible rows are in both; NULL: unknown
};

// The alternatives that groups leave to a candidate, tried in order, for each key.
struct topology_alternatives { // of one key
    uint32_t key;
    uint32_t *requirements; // best first
    uint32_t *tiers;        // ascending; equal for alternatives that the groups rank equally
    uint32_t count, capacity, at;
};
#define COMBINATIONS_MAX 64
struct topology_combination { // one alternative of each of several keys
    uint64_t tiers;           // of all keys, the first key most significant
    int64_t price;            // of the cheapest launch
    uint32_t index;           // counted with the last key varying fastest
};
struct topology_choice { // one a class; topology_prepare() makes it
    uint32_t base;       // set
    uint32_t keys_count;
    struct topology_alternatives *keys;
    uint32_t *decided; // keys for which a claim gets one value (topology_decide.h)
    uint32_t decided_count;
    struct group_list inverse_spreads;         // the class state's
    struct topology_combination *combinations; // sorted; NULL until first sorted
    uint32_t combinations_count;               // 0: not sorted, the keys' own orders hold
    uint32_t combinations_at;
    bool started;
    uint32_t tried;  // combinations tried since the start
    uint32_t *spent; // counter of the unrelaxed class in this pass
};

static inline bool topology_decides(const struct topology_choice *choice, uint32_t key)
{
    for (uint32_t i = 0; i < choice->decided_count; i++)
        if (choice->decided[i] == key)
            return true;
    return false;
}

static inline bool domain_allowed(const struct pass *pass, const struct requirement *requirement,
                                  uint32_t value)
{
    return requirement == NULL || requirement_has(pass->problem->vocabulary, requirement, value);
}
