// What a disruption decision is made upon beyond the snapshot.
#pragma once

#include "model/schema/object.h"

struct guarded_move {                       // DIS-748
    const char *pool, *from_type, *to_type; // machine types
};
struct spot_price { // of an instance type in a zone, in the last hours; nano-USD an hour
    const char *type, *zone;
    int64_t lowest, highest;
};
struct spot_price_list { // by type, then zone
    struct spot_price *items;
    uint32_t count;
};

struct scheduled_workload {   // its pods went elsewhere than was planned, more than once (DIS-749)
    const char *uid;          // of their controller
    struct string_list nodes; // names of Nodes that they were put on lately, the last one first
};
struct scheduled_list { // by UID
    const struct scheduled_workload *items;
    uint32_t count;
};

struct interruption_rate {          // of spot machines in the last seven days (DIS-751)
    const char *pool, *type;        // NodePool, instance type
    int64_t interruptions, seconds; // how many ended by themselves, and how long all ran
};
struct interruption_list { // by NodePool, then type
    const struct interruption_rate *items;
    uint32_t count;
};

// What only a running controller knows. Zero: nothing.
struct disruption_inputs {
    const struct string_list *busy;         // Nodes in running commands: no candidates, and charged
                                            // to the budgets; their pods need another place
    const struct string_list *paused_nodes; // no consolidation for a while: it failed (DIS-714)
    const struct string_list *moved_nodes;  // no consolidation until the load changes: they came of
                                            // it, or their pods were evicted for it often enough
    const struct string_list
        *refused_nodes; // no drift for a while: it was not valid any more (DIS-714)
    const struct string_list *paused_pools; // no drift for a while (DIS-716)
    const struct guarded_move *guarded;     // replacements that are not to be repeated
    uint32_t guarded_count;
    int64_t expiry_lead_ns; // observed: what it takes to boot a machine and drain a node (DIS-762)
    const struct spot_price_list *spot_prices; // in the SPOT_PRICE_WINDOW (DIS-750)
    const struct interruption_list *interruptions;
    const struct scheduled_list *scheduled; // workloads that go where kube-scheduler puts them
    int64_t overlap_ns; // observed: from a launch to the end of the old node's drain (DIS-747)
};
