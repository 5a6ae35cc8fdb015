// A forecast (forecast.h) as data.
#pragma once

#include "engine/cost/cluster_cost.h"
#include "model/snapshot/plan.h"

struct forecast_node { // of a NodePool or not; a state node before or after
    const char *name;  // of a new one: "NODEPOOL-new-1"
    const char *node_pool, *type, *zone, *capacity_type; // NULL: unknown
    uint32_t pods;                                       // at the end; of one that goes: before
    int64_t price;                                       // nano-USD an hour; 0: unknown
    enum { NODE_STAYS, NODE_GOES, NODE_COMES } fate;
    const char *why; // of one that goes: "Drifted", "Empty", ..., "NodePoolDeleted"; of one that
                     // comes: "replacement" or "pending pods"
    uint32_t round;  // in which it goes or comes, from 1
};
struct forecast_move {
    const struct pod *pod; // as it was
    const char *from, *to; // node names; NULL: pending before, without a place after
};
struct forecast_command { // of a round
    enum disruption_reason reason;
    enum consolidation_type consolidation;
    struct string_list nodes, replacements; // names
    int64_t savings;                        // nano-USD an hour
};
struct forecast_round {
    LIST(struct forecast_command) commands;
    struct string_list launched; // names of nodes for pending pods
    uint32_t placed;             // pods that find room without a command
};
struct forecast {
    struct arena *arena;
    LIST(struct forecast_round) rounds;
    LIST(struct forecast_node) nodes; // those that stay, go and come; by name
    LIST(struct forecast_move) moves; // pods that end elsewhere than they began; by name
    bool complete;                    // nothing more would follow
    struct cluster_cost before, after;
    struct snapshot *end;     // the cluster after the last round
    const struct plan *first; // the first decision that does anything; else the last one
    uint32_t unplaced;        // pods without a place at the end
    const char *remark;       // why its first commands may be others; NULL: no reason is known
};
