// Predicts kube-scheduler's choice for workloads whose pods went elsewhere than planned (DIS-749):
// the nodes that took them lately, else the nodes with the highest score. Simulations place these
// pods first, so that others get the rest.
#pragma once

#include "engine/pass/pass_state.h"
#include "engine/problem/disruption_inputs.h"

// The pod's workload in the list, which is sorted by UID; NULL: not listed.
const struct scheduled_workload *scheduled_find(const struct scheduled_list *list,
                                                const struct pod *pod);
struct scheduler_choice { // the best node so far
    const struct scheduled_workload *workload;
    uint32_t pod;  // of the queue
    uint32_t node; // NONE: none yet
    uint32_t rank; // in the workload's nodes
    int64_t score;
    uint64_t lot; // among equal scores the highest wins
    uint32_t considered;
};
// kube-scheduler stops after this many feasible nodes, or after a share of a large cluster's.
#define CONSIDERED_MAX 500
// Without a workload the pod goes to the first node that accepts it.
struct scheduler_choice scheduler_choice_of(const struct pass *pass, uint32_t pod);
// Compares a node that accepts a pod of the class with the best so far.
void scheduler_choice_consider(struct scheduler_choice *choice, const struct pass *pass,
                               uint32_t node, uint32_t class);
