// The data of the cluster state, for the sources that implement it: cluster.c, cluster_landings.c,
// cluster_plans.c, cluster_sync.c.
#pragma once

#include "control/state/node_index.h"
#include "control/state/planned_pods.h"
#include "control/state/pod_index.h"
#include "control/state/state_node.h"

struct cluster {
    struct control *control;
    struct map *states; // state_node by key
    struct node_index nodes;
    struct pod_index pods;
    struct planned_pods *planned;
    struct nominations *nominations;
    VECTOR(struct landing_observer {
        landing_handler handler;
        void *context;
    })
    landing_observers;
    int64_t changed_at, listed_at_ns;
    int64_t unsynced_ns; // monotonic: the first check that failed (LIF-311); 0: none
    int64_t landed_ns;   // monotonic: the last binding of a planned pod
    int64_t closed_ns;   // monotonic: when nodes with planned pods were last seen closed
    bool synced;
};

// LIF-300: the key that tracks a NodeClaim; NULL: not yet tracked.
static inline const char *node_claim_key(const struct node_claim *claim)
{
    return node_claim_is_launched(claim) ? claim->status.provider_id : NULL;
}

// NULL: not yet tracked, or no NodeClaim.
static inline struct state_node *state_of_claim(const struct cluster *cluster,
                                                const struct node_claim *claim)
{
    const char *key = claim != NULL ? node_claim_key(claim) : NULL;
    return key != NULL ? map_get(cluster->states, key) : NULL;
}

// Plans the pod for the NodeClaim; `is_new`: the plan begins now, else it is as old as the pod's
// plan before.
void cluster_set_plan(struct cluster *cluster, const struct pod *pod, const char *claim,
                      bool is_new);
