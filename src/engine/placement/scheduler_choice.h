// Where kube-scheduler puts the pods of workloads that were seen to go elsewhere than a pass would
// put them (DIS-749): to the nodes that it put them on lately, else to those that it scores
// highest. In simulations these pods come first, so that others must do with what they leave.
#pragma once

#include "engine/pass/pass_state.h"
#include "engine/problem/disruption_inputs.h"

// The workload of the list, sorted by UID, that the pod belongs to; NULL: none.
const struct scheduled_workload *scheduled_find(const struct scheduled_list *list,
                                                const struct pod *pod);
struct scheduler_choice { // the best of the nodes that were considered
    const struct scheduled_workload *workload;
    uint32_t pod;  // of the queue
    uint32_t node; // NONE: none yet
    uint32_t rank; // in the workload's nodes
    int64_t score;
    uint32_t considered;
};
// kube-scheduler looks no further when it has found that many nodes that do, or a share of a large
// cluster's.
#define CONSIDERED_MAX 500
// Without a workload the pod goes to the first node that takes it.
struct scheduler_choice scheduler_choice_of(const struct pass *pass, uint32_t pod);
// A node that would take a pod of the class.
void scheduler_choice_consider(struct scheduler_choice *choice, const struct pass *pass,
                               uint32_t node, uint32_t class);
