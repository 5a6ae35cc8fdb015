// What rules between pods are asked about, and the domains that they leave (topology.h).
#pragma once

#include "engine/pass/pass_state.h"
#include "engine/topology/topology_base.h"

struct candidate {
    uint32_t set; // already with the pod's and the volumes' requirements
    uint32_t hostname;
    uint32_t taints;
    bool is_claim;
    struct type_table *table;             // of a claim
    const struct node_template *template; // of a claim
    const struct bitset *rows, *fitting;  // of a claim: types are in both; NULL: not known
};

// What the groups leave of a candidate: for each key one or several alternatives, tried in order.
struct topology_alternatives { // of one key
    uint32_t key;
    uint32_t *requirements; // best first
    uint32_t *tiers;        // equal where the groups like two of them equally; ascending
    uint32_t count, capacity, at;
};
#define COMBINATIONS_MAX 64
struct topology_combination { // one alternative of each of several keys
    uint64_t tiers;           // of the keys, the first one weighing most
    int64_t price;            // of the cheapest launch
    uint32_t index;           // counted with the last key varying fastest
};
struct topology_choice { // one a class, made by topology_prepare()
    uint32_t base;       // set
    uint32_t keys_count;
    struct topology_alternatives *keys;
    uint32_t *decided; // keys of which a claim gets one value (topology_decide.h)
    uint32_t decided_count;
    struct group_list inverse_spreads;         // the class state's
    struct topology_combination *combinations; // in their order; NULL until some were sorted
    uint32_t combinations_count;               // 0: none were sorted, all in the keys' own order
    uint32_t combinations_at;
    bool started;
    uint32_t tried;  // combinations since it was started
    uint32_t *spent; // by the class without relaxation, in this pass
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
