// The planned pods of a workload and their places, for spread_order.c and spread_mend.c.
#pragma once

#include "control/runtime/control.h"

struct place {
    const struct node_claim *claim;
    uint32_t host, domain; // indices of hosts and domains
    bool is_taken;
    bool is_later;   // taken after all others
    bool is_put_off; // another pod of the workload goes to the node first
};

struct mover { // a planned pod
    const struct pod *pod;
    int64_t turn;   // kube-scheduler tries them in this order
    uint32_t place; // its present one
    bool has_moved; // by spread_places_mend()
};

struct place_host { // a NodeClaim
    const struct node_claim *claim;
    uint32_t left;      // free places
    uint32_t nominated; // of these, those that are not put off
    uint32_t settled;   // pods with a place that they keep
};

struct place_domain {
    const char *name;
    uint32_t pods;             // that are there, or have been given a place
    uint32_t left, pairs_left; // free places; those that share their node with another place
};

struct spread_places {
    const char *key; // the topology key; NULL: the workload is not spread
    int64_t max_skew;
    VECTOR(struct mover) pods;
    VECTOR(struct place) places;
    VECTOR(struct place_domain) domains;
    VECTOR(struct place_host) hosts;
};

void spread_places_destroy(void *places);
// Adds the pods that are planned for the NodeClaim to their workloads: spread_places by UID. Of a
// workload only siblings of its first pod count. `spread_only`: those that have a spread.
void spread_places_add(const struct control *control, struct map *workloads,
                       const struct node_claim *claim, bool spread_only);
// The same for pods that are not nominated, whatever their place.
void spread_places_add_unnominated(const struct control *control, struct map *workloads,
                                   const struct node_claim *claim, bool is_later);
// In the order in which kube-scheduler tries the pods.
void spread_places_sort(struct spread_places *places);
// Counts the running pods of the workloads, which are spread_places by UID.
void spread_places_count(const struct control *control, const struct map *workloads);
// Gives the pod that place from now on.
void spread_places_plan(const struct control *control, const struct pod *pod,
                        const struct place *place);
