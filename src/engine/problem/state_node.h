// State nodes: the Nodes and NodeClaims of a snapshot joined (LIF-300 to LIF-309). Scheduling and
// disruption share them.
//
// Everything points into the snapshot or lives in the given arena.
#pragma once

#include "base/map.h"
#include "model/snapshot/snapshot.h"

struct state_node {
    const struct node *node;        // NULL: a launched NodeClaim without Node
    const struct node_claim *claim; // NULL: not managed by Karpenter
    const char *name, *hostname;    // LIF-304
    const struct string_map *labels, *annotations;
    taint_list taints;      // LIF-305, with `node.kubernetes.io/unschedulable` for a cordoned Node
    taint_list real_taints; // those of the Node (or NodeClaim), unfiltered
    struct resource_map capacity, allocatable; // LIF-306, without the pseudo-resource `nodes`
    const char *node_pool;                     // label; NULL if none
    bool registered, initialized;              // LIF-303
    bool marked_for_deletion;                  // LIF-309
    LIST(const struct pod *) pods;             // bound, not terminal, by namespace/name (LIF-307)
    const uint32_t *running;                   // the same as indexes of state_nodes.running
    // Terminated pods with a deletion timestamp that their StatefulSets will recreate. They use
    // nothing of the node but need a place as running pods do (DIS-48); by namespace/name.
    LIST(const struct pod *) returning;
};

struct running_pod { // not terminal, on an existing Node, tracked or not
    const struct pod *pod;
    uint32_t node; // index of its state node; UINT32_MAX: the Node is not tracked
};
struct state_nodes {
    struct state_node *items; // initialized ones first, then by name (SCH-190)
    uint32_t count;
    LIST(struct running_pod) running; // by namespace/name
    LIST(const struct pod *) others;  // all other pods, in the snapshot's order
    struct map *by_node_name; // Node name -> struct state_node *, for Nodes that are tracked
};

// The caller frees the map with state_nodes_free(); everything else lives in the arena.
struct state_nodes state_nodes_build(struct arena *arena, const struct snapshot *snapshot);
void state_nodes_free(struct state_nodes *nodes);

// Why the Node or its NodeClaim cannot be read (API-603); NULL: they can.
const char *state_node_unreadable(const struct state_node *state);
