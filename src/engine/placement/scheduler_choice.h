// Predicts kube-scheduler's choice for workloads whose pods went elsewhere than planned (DIS-749):
// the nodes that took them lately, else the nodes with the highest score. Simulations place these
// pods first, so that others get the rest.
#pragma once

#include "engine/pass/pass_state.h"
#include "engine/problem/disruption_inputs.h"

// The pod's workload in the list, which is sorted by UID; NULL: not listed.
const struct scheduled_workload *scheduled_find(const struct scheduled_list *list,
                                                const struct pod *pod);
struct scheduler_choice {
    const struct scheduled_workload
        *workload;  // NULL: the pod goes to the first node that accepts it
    uint32_t pod;   // of the queue
    uint32_t count; // nodes so far
    bool is_led;    // to one of the nodes within reach (drain_guidance.h)
};
// kube-scheduler stops after this many feasible nodes, or after a share of a large cluster's.
#define CONSIDERED_MAX 500
struct scheduler_choice scheduler_choice_of(const struct pass *pass, uint32_t pod);
// Notes a node that accepts a pod of the class; true: no more nodes are considered.
bool scheduler_choice_consider(struct scheduler_choice *choice, struct pass *pass, uint32_t node,
                               uint32_t class);
// The node of highest score; NONE: no node accepts the pod.
uint32_t scheduler_choice_best(const struct scheduler_choice *choice, struct pass *pass);
