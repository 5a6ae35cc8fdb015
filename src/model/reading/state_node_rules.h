// A Node and its NodeClaim as one state node (LIF-300 to LIF-309): the rules shared by the
// controller's cluster state and the snapshot of a decision.
//
// Either object may be NULL, not both: a NodeClaim without Node is in flight, a Node without
// NodeClaim is not managed.
#pragma once

#include "model/schema/core.h"
#include "model/schema/karpenter.h"

// LIF-300: the key of a tracked Node, its provider ID or else its name; NULL: none yet.
const char *state_node_key(const struct node *node);
// LIF-303.
bool state_node_registered(const struct node *node, const struct node_claim *claim);
bool state_node_initialized(const struct node *node, const struct node_claim *claim);
// LIF-304: the metadata whose name, labels and annotations are the state node's.
const struct object_meta *state_node_meta(const struct node *node, const struct node_claim *claim);
// LIF-306, sorted by name, without the pseudo-resource `nodes`. Points into the objects or lives in
// `arena`.
struct resource_map state_node_capacity(struct arena *arena, const struct node *node,
                                        const struct node_claim *claim);
struct resource_map state_node_allocatable(struct arena *arena, const struct node *node,
                                           const struct node_claim *claim);
// LIF-309, from the API: the NodeClaim is being deleted, or its machine's termination was
// requested.
bool node_claim_is_ending(const struct node_claim *claim);
// LIF-309 without the mark of a disruption command.
bool state_node_is_ending(const struct node *node, const struct node_claim *claim);
