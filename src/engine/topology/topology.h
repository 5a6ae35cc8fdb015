// Rules between pods while placing (SCH-285 to SCH-329).
#pragma once

#include "engine/pass/pass_state.h"
#include "engine/topology/topology_base.h"

// Rules that upstream lacks (SCH-510 to SCH-518) hold unless COMPATIBILITY=upstream.
static inline bool topology_better(const struct pass *pass)
{
    return !pass->problem->settings->compatibility_upstream;
}

// Groups of every pod of the queue and of bound pods (SCH-278), counted.
void topology_start(struct pass *pass);
// Sorts out the class's groups, making those that are new (SCH-277).
void topology_prepare(struct pass *pass, uint32_t class);

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
struct candidate {
    uint32_t set; // already with the pod's and the volumes' requirements
    uint32_t hostname;
    uint32_t taints;
    bool is_claim;
    struct type_table *table;             // of a claim
    const struct node_template *template; // of a claim
    const struct bitset *rows, *fitting;  // of a claim: types are in both; NULL: not known
};
// Checks the hostname rules and prepares the alternatives of the others.
enum verdict topology_begin(struct pass *pass, uint32_t class, const struct candidate *candidate,
                            struct topology_choice **choice);
// The next set to try: base with one alternative of each key; false at the end.
bool topology_next(struct pass *pass, const struct candidate *candidate,
                   struct topology_choice *choice, uint32_t *set);

// --- spreads of others (SCH-516; topology_inverse_spread.c) --------------------------------------
#define INVERSE_TRIES_MAX \
    64 // nodes and claims that a pod looks at before it no longer avoids spreads of others
static inline bool topology_inverse_tries_end(struct pass *pass)
{
    return pass->current.avoids_inverse && pass->current.inverse_tries++ >= INVERSE_TRIES_MAX;
}

// SCH-320: the pod is there.
void topology_record(struct pass *pass, uint32_t pod, uint32_t class, uint32_t set,
                     uint32_t hostname, uint32_t taints, bool is_claim);
