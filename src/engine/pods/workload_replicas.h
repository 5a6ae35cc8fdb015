// Workloads of the snapshot's pods and how many replicas they have (SCH-521).
#pragma once

#include "engine/problem/problem.h"

// The pod's workload, of those that own pods of the snapshot; NONE: nobody controls it.
uint32_t workload_of_pod(struct problem *problem, const struct pod *pod);
// How many pods of the workload one new node of the template carries at most; at least 1.
uint32_t workload_node_share(const struct problem *problem, const struct node_template *template,
                             uint32_t workload);

// Counts the replicas of all workloads, unless that is done.
void workloads_find(struct problem *problem);
