// Who may be disrupted: the candidates of a snapshot, why the other nodes are not, and what the
// budgets of each pool leave (sections 2 and 5 of the disruption rules). Shared by all methods;
// pure.
#pragma once

#include "model/snapshot.h"

struct disruption_pool {
    const struct node_pool *pool;
    int64_t total, disrupting;  // DIS-125, DIS-126
    int64_t allowed, remaining; // for the reason asked for: DIS-120, DIS-127
    const char *budget_error;   // DIS-121; or NULL
};
struct disruption_candidate {
    const struct node *node;
    const struct node_claim *claim;
    struct disruption_pool *pool;
    double cost;            // DIS-56
    int64_t price;          // DIS-59, nano-USD an hour
    uint32_t reschedulable; // pods (DIS-48)
    bool empty;             // DIS-57
};
struct disruption_block {    // why a node is no candidate (DIS-32)
    const struct node *node; // may be NULL
    const struct node_claim *claim;
    const char *message;
};
struct candidate_table {
    LIST(struct disruption_pool) pools;           // managed ones, by name
    LIST(struct disruption_candidate) candidates; // in the order of DIS-61, DIS-700
    LIST(struct disruption_block) blocks;         // with an event message
};

struct candidate_options {
    const char *reason;             // whose budgets: "Empty", ...
    const struct string_list *busy; // names of Nodes in running commands: no candidates, and they
                                    // count as disrupting
    bool eventual;                  // DIS-34
};
// Lives in `arena` and points into the snapshot.
struct candidate_table candidates_build(struct arena *arena, const struct snapshot *snapshot,
                                        const struct candidate_options *options);
