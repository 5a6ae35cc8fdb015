// The cost of planning a pod, in steps counted from its specification alone. Pods that cost too
// much are set aside, so that no user can make a pass slow or large for all others.
//
// A step is one frequently repeated comparison; a rule between pods costs 150. One pod may cost
// POD_STEPS_MAX. Pods above POD_STEPS_COMMON share PASS_STEPS_MAX by the square of their cost,
// because rules between such pods multiply. Anti-affinity terms across namespaces count on top,
// because each of these pods is checked against them. Pods of one class count once. If the steps do
// not suffice, the most expensive pods are set aside. A pod that is set aside is refused (SCH-26)
// before anything else of it is read: it adds no rules, asked labels or dimensions. If it runs, it
// keeps its resources, and its node cannot be disrupted, because a new place for it cannot be
// planned.
#pragma once

#include "engine/problem/problem.h"

#define POD_STEPS_MAX    10000
#define POD_STEPS_COMMON 2000
#define PASS_STEPS_MAX   1000000

// Marks pods that are set aside in the queue, among movable pods and among bound pods
// (queued_pod.aside, bound_pod.aside), before their selectors are read. `first_bound`: the first
// running pod of the queue.
void pods_set_aside(struct problem *problem, uint32_t first_bound);
// A stub for a pod that is set aside: its name, labels and priority.
const struct pod *pod_without_demand(struct problem *problem, const struct pod *pod);
