// Base counts of groups: running pods and existing Nodes before any pass. A pass starts from them
// and applies its differences (removed nodes, rescheduled pods). So a simulation costs what it
// changes, not the size of the cluster (SCH-279, 285 to 298; DIS-703).
#pragma once

#include "engine/problem/problem.h"

struct domain {
    uint32_t value, count;
};
// Domains with a count above zero, unordered.
struct domain_counts {
    VECTOR(struct domain) items;
    struct memo index; // value -> position
};
struct group_base {
    bool terminating;           // terminating pods count
    struct domain_counts pods;  // of the group, running
    struct domain_counts nodes; // usable nodes that pass the filter; not for hostname groups
    // Values that NodePools can provide; not for hostname and inverse groups.
    uint32_t *open, open_count;
    // Spreads over hostnames (SCH-513): every counted usable node before node_at has pods;
    // nodes_before is their number. 0 where nodes share a hostname.
    uint32_t node_at, nodes_before;
};

// Made on first use; lives as long as the problem.
const struct group_base *topology_base_of(struct problem *problem, uint32_t group);
void topology_base_free(struct problem *problem);

// Inverse groups of running pods that select the identity (SCH-278 a).
struct identity_groups {
    uint32_t *items, count, capacity;
};
const struct identity_groups *topology_base_inverse(struct problem *problem, uint32_t identity);

// The domain in which one running pod, or one node, counts for a group; SYMBOL_NONE: it does not
// count. The group's base must exist.
uint32_t topology_base_domain_of_pod(struct problem *problem, uint32_t group, uint32_t bound);
uint32_t topology_base_domain_of_node(struct problem *problem, uint32_t group, uint32_t index);

// The node with the hostname; NONE: there is none, or some nodes share a hostname.
uint32_t topology_base_node_at(struct problem *problem, uint32_t hostname);

static inline uint32_t domain_counts_get(const struct domain_counts *counts, uint32_t value)
{
    uint32_t position = memo_get(&counts->index, value, 0);
    return position == MEMO_NONE ? 0 : counts->items.items[position].count;
}
