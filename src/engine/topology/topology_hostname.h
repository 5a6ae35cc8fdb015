// Spread over hostnames as kube-scheduler counts it (SCH-513): once every counted node has a pod,
// nodes take another one each.
#pragma once

#include "engine/topology/topology_choice.h"
#include "engine/topology/topology_counts.h"

// SCH-513: true if a pod could share an existing node with pods of its spread. It then waits until
// all others are placed, which may add new nodes.
bool topology_postpones(struct pass *pass, const struct pod_class *class);
// Lets waiting pods share nodes; false if no pod waits.
bool topology_start_doubling(struct pass *pass);
// SCH-513: the lowest count of a node in a spread over hostnames, existing and planned nodes; 0
// without an existing node. (topology_hostname.c)
int64_t topology_hostname_minimum(struct pass *pass, struct group_state *group);
// True if a new node would be empty for a spread whose pods already share nodes, and would stay so
// or depend on the order of binding.
bool topology_empties(struct pass *pass, const struct pod_class *class,
                      const struct candidate *candidate, const struct group_state **spread);
