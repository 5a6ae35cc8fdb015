// The nodes of a snapshot that may be disrupted, why the others may not, and what the budgets of
// each pool leave (sections 2 and 5 of the disruption rules). All methods share it. Pure.
#pragma once

#include "engine/disruption/candidate_check.h"
#include "engine/disruption/disruption_pool.h"
#include "model/snapshot/plan.h"
#include "model/snapshot/snapshot.h"

struct problem;
struct spot_price_list;
struct state_node;

struct disruption_candidate {
    const struct state_node *state; // in the problem's nodes if there is a problem
    const struct node *node;
    const struct node_claim *claim;
    struct disruption_pool *pool;
    const struct instance_type *type; // NULL: unknown to the pool
    double cost;                      // DIS-56
    int64_t price;                    // DIS-59, nano-USD an hour
    bool price_known;                 // DIS-743
    uint32_t reschedulable;           // pods (DIS-48)
    bool empty;                       // DIS-57
    bool buffered;                    // placeholder pods are planned on it (LIF-245)
    bool holds_placeholders;          // the same for consolidation (DIS-753)
    const char *blocked;              // what blocks graceful disruption of it (DIS-34); or NULL
    enum candidate_check blocked_by;  // the check of `blocked`
};
struct disruption_block {    // why a node is no candidate (DIS-32)
    const struct node *node; // may be NULL
    const struct node_claim *claim;
    enum candidate_check check;
    const char *message;
};
struct disruption_refusal { // a state node that is no candidate
    const struct state_node *state;
    enum candidate_check check;
    const char *message;
};
struct candidate_table {
    LIST(struct disruption_pool) pools;           // managed ones, by name
    LIST(struct disruption_candidate) candidates; // in the order of DIS-61, DIS-700
    LIST(struct disruption_block) blocks;         // with an event message
    LIST(struct disruption_refusal) refusals;     // all, in the order of state nodes
};

struct candidate_options {
    enum disruption_reason reason; // selects the budgets
    // Names of Nodes in running commands: no candidates; they count as disrupting.
    const struct string_list *busy;
    bool eventual;                             // DIS-34
    const struct spot_price_list *spot_prices; // recent (DIS-750); may be NULL
    struct problem *problem; // its nodes and overlaid prices apply; NULL: the snapshot's
    const struct plan *plan; // of the pending pods: nodes that it uses are spared; NULL: unknown
};
// Lives in `arena` and points into the snapshot.
struct candidate_table candidates_build(struct arena *arena, const struct snapshot *snapshot,
                                        const struct candidate_options *options);
// Recomputes the remaining budgets for another reason.
void candidates_apply_budgets(struct arena *arena, const struct snapshot *snapshot,
                              const struct candidate_table *table, enum disruption_reason reason);
