// A node joined with its NodeClaim, and readings of it (LIF-300, LIF-303 to LIF-309).
#pragma once

#include "base/vector.h"
#include "control/runtime/control.h"
#include "control/state/pod_index.h"

struct node_list {
    const struct node **items;
    uint32_t count, capacity;
};

// LIF-300: the objects with one provider ID (or, without one, with one Node's name). Usually one
// Node and one NodeClaim; more of either violates an invariant, which callers see by the counts.
struct state_node {
    const char *key;
    struct node_list nodes;
    VECTOR(const struct node_claim *) claims;
    int64_t nominated_until, held_until; // wall clock; 0: never. See cluster_nominated_until()
    int64_t initialized_ns;              // monotonic: first seen initialized; 0: not initialized
    bool marked;                         // by a disruption command (LIF-309)
    bool was_initialized, was_marked;
    bool kept_empty; // evaluated by emptiness, and not taken (disruption_emptiness.h)
};

// The Node of the name that a NodeClaim was registered with; else the first, or NULL.
const struct node *node_list_main(const struct node_list *nodes, const char *registered);
// The Node that the NodeClaim was registered with, if several have its provider ID; else the first.
const struct node *state_main_node(const struct state_node *state);        // NULL: none
const struct node *state_only_node(const struct state_node *state);        // or NULL
const struct node_claim *state_only_claim(const struct state_node *state); // or NULL
bool state_registered(const struct state_node *state);                     // LIF-303
bool state_initialized(const struct state_node *state);                    // LIF-303
bool state_marked(const struct state_node *state);                         // LIF-309
const char *state_name(const struct state_node *state);                    // LIF-304
const char *state_pool(const struct state_node *state);                    // its label, or NULL
// A label of the Node, else of the NodeClaim, which has the labels that are known before there is a
// Node. Either may be NULL.
const char *label_of_node(const struct node *node, const struct node_claim *claim, const char *key);
struct resource_map state_capacity(struct arena *arena, const struct state_node *state);
struct resource_map state_allocatable(struct arena *arena, const struct state_node *state);
// What the pods leave of it; negative where they ask for more.
struct resource_map state_room(struct arena *arena, const struct state_node *state,
                               const struct pod_list *pods);
