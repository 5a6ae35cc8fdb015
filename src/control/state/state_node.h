// Readings of a state node (LIF-303 to LIF-309).
#pragma once

#include "control/state/cluster.h"

// The Node of that name, which a NodeClaim was registered with; else the first, or NULL.
const struct node *node_list_main(const struct node_list *nodes, const char *registered);
// The Node that the NodeClaim was registered with, if several have its provider ID; else the first.
const struct node *state_main_node(const struct state_node *state);        // NULL: none
const struct node *state_only_node(const struct state_node *state);        // or NULL
const struct node_claim *state_only_claim(const struct state_node *state); // or NULL
bool state_registered(const struct state_node *state);                     // LIF-303
bool state_initialized(const struct state_node *state);                    // LIF-303
bool state_marked(const struct state_node *state);                         // LIF-309
const char *state_name(const struct state_node *state);                    // LIF-304
const struct string_map *state_labels(const struct state_node *state);     // LIF-304
const char *state_pool(const struct state_node *state);                    // its label, or NULL
// A label of the Node, else of the NodeClaim, which has those that are known before there is a
// Node. Either may be NULL.
const char *label_of_node(const struct node *node, const struct node_claim *claim, const char *key);
struct resource_map state_capacity(struct arena *arena, const struct state_node *state);
struct resource_map state_allocatable(struct arena *arena, const struct state_node *state);
