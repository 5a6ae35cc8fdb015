// Spread over hostnames as kube-scheduler counts it (SCH-513): once every node that it looks at has
// a pod, nodes take another one each.
#pragma once

#include "engine/topology/topology_choice.h"
#include "engine/topology/topology_counts.h"

// SCH-513: a pod that could share an existing node with others of its spread waits until all others
// have their places, which may bring new nodes.
bool topology_postpones(struct pass *pass, const struct pod_class *class);
// Lets them share; false if nobody waits for it (any more).
bool topology_start_doubling(struct pass *pass);
// SCH-513: the least count of a node that a spread over hostnames looks at, existing and planned; 0
// where there is no existing one. (topology_hostname.c)
int64_t topology_hostname_minimum(struct pass *pass, struct group_state *group);
// Whether a new node would be an empty one to a spread whose pods share nodes already, and would
// stay so or be filled only in a certain order.
bool topology_empties(struct pass *pass, const struct pod_class *class,
                      const struct candidate *candidate, const struct group_state **spread);
