// What the groups of a problem count before any pass: pods that run, and Nodes that are there. A
// pass takes this over and reckons with what is different in it - nodes that are gone, pods that
// are scheduled anew - so that a simulation costs what it changes, not what the cluster holds
// (SCH-279, 285 to 298; DIS-703).
#pragma once

#include "engine/problem/problem.h"

struct domain {
    uint32_t value, count;
};
// Domains with at least one, in no order.
struct domain_counts {
    VECTOR(struct domain) items;
    struct memo index; // value -> position
};
struct group_base {
    bool terminating;           // pods that are being deleted count
    struct domain_counts pods;  // of the group, running
    struct domain_counts nodes; // usable nodes that pass the filter; not of hostnames
    uint32_t *open, open_count; // values that pools could give; not of hostnames and inverse groups
    // Spreads over hostnames (SCH-513): usable nodes before this one that the spread looks at have
    // pods; how many those are. 0 where nodes share a hostname.
    uint32_t node_at, nodes_before;
};

// Made when first asked for; lives as long as the problem.
const struct group_base *topology_base_of(struct problem *problem, uint32_t group);
void topology_base_free(struct problem *problem);

// Inverse groups of running pods that select the identity (SCH-278 a).
struct identity_groups {
    uint32_t *items, count, capacity;
};
const struct identity_groups *topology_base_inverse(struct problem *problem, uint32_t identity);

// What one running pod, or one node, is to a group, whose base was asked for before: the domain
// that it counts in, or SYMBOL_NONE.
uint32_t topology_base_domain_of_pod(struct problem *problem, uint32_t group, uint32_t bound);
uint32_t topology_base_domain_of_node(struct problem *problem, uint32_t group, uint32_t index);

// The node with the hostname; NONE: there is none, or several nodes share a hostname anywhere.
uint32_t topology_base_node_at(struct problem *problem, uint32_t hostname);

static inline uint32_t domain_counts_get(const struct domain_counts *counts, uint32_t value)
{
    uint32_t position = memo_get(&counts->index, value, 0);
    return position == MEMO_NONE ? 0 : counts->items.items[position].count;
}
