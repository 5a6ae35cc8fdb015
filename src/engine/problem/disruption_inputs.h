// Input of a disruption decision beyond the snapshot.
#pragma once

#include "model/schema/object.h"

struct guarded_move {                       // DIS-748
    const char *pool, *from_type, *to_type; // machine types
};
struct spot_price { // of an instance type in a zone, in the last hours; nano-USD an hour
    const char *type, *zone;
    int64_t lowest, highest;
};
struct spot_price_list { // sorted by type, then zone
    struct spot_price *items;
    uint32_t count;
};

struct scheduled_workload {   // its pods went elsewhere than planned more than once (DIS-749)
    const char *uid;          // of the pods' controller
    struct string_list nodes; // names of the Nodes that took its pods lately, the last one first
};
struct scheduled_list { // sorted by UID
    const struct scheduled_workload *items;
    uint32_t count;
};

struct interruption_rate {          // of spot machines in the last seven days (DIS-751)
    const char *pool, *type;        // NodePool, instance type
    int64_t interruptions, seconds; // how many machines were interrupted, and how long all ran
};
struct interruption_list { // sorted by NodePool, then type
    const struct interruption_rate *items;
    uint32_t count;
};

// Input that only a running controller has. Zero: none.
struct disruption_inputs {
    const struct string_list *busy; // Nodes in running commands: no candidates, and charged to the
                                    // budgets; their pods need another place
    // No consolidation for a while, after a failed one (DIS-714).
    const struct string_list *paused_nodes;
    const struct string_list *moved_nodes; // no consolidation until the load changes: consolidation
                                           // launched them, or evicted their pods often enough
    // No drift for a while: the command was no longer valid (DIS-714).
    const struct string_list *refused_nodes;
    const struct string_list *paused_pools; // no drift for a while (DIS-716)
    const struct guarded_move *guarded;     // replacements that must not be repeated
    uint32_t guarded_count;
    int64_t expiry_lead_ns; // observed: boot of a machine and drain of a node (DIS-762)
    const struct spot_price_list *spot_prices; // in the SPOT_PRICE_WINDOW (DIS-750)
    const struct interruption_list *interruptions;
    const struct scheduled_list *scheduled; // workloads placed as kube-scheduler would
    bool unguided;      // kube-scheduler does not go where it is led (drain_guidance.h)
    int64_t overlap_ns; // observed: from a launch to the end of the old node's drain (DIS-747)
};
