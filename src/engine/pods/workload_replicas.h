// Workloads of the snapshot's pods and how many replicas they have (SCH-521).
#pragma once

#include "engine/problem/problem.h"

// The pod's workload, among those that own pods of the snapshot; NONE: it has no controller.
uint32_t workload_of_pod(struct problem *problem, const struct pod *pod);
// The most pods of the workload on one new node of the template; at least 1.
uint32_t workload_node_share(const struct problem *problem, const struct node_template *template,
                             uint32_t workload);

// Counts the replicas of all workloads on first use.
void workloads_find(struct problem *problem);
