// What planning a pod costs, counted in steps from its specification alone, and pods that are set
// aside because of it: nobody who may create pods can make a pass slow or large for everybody else.
//
// A step is about what one comparison costs that is made again and again; a rule between pods is
// worth 150 of them. One pod may take POD_STEPS_MAX. Pods that take more than POD_STEPS_COMMON
// share PASS_STEPS_MAX, by the square of what each takes, since the rules of a pod meet each other,
// and so do terms that keep away pods of other namespaces, which each of these then looks at; pods
// that cannot be told apart count once. Where that is not enough those that take the most are set
// aside. A pod that is set aside is refused (SCH-26) before anything else of it is read: it has
// no rules, labels that anything asks for, or resources that need a dimension. Where it runs it
// takes its resources, and its node cannot go, since nothing is known of where it could move.
#pragma once

#include "engine/problem/problem.h"

#define POD_STEPS_MAX    10000
#define POD_STEPS_COMMON 2000
#define PASS_STEPS_MAX   1000000

// Marks those of the queue, the movable and the bound pods that are set aside (queued_pod.aside,
// bound_pod.aside), before their selectors are read. `first_bound`: the first of the queue that
// runs.
void pods_set_aside(struct problem *problem, uint32_t first_bound);
// What stands in for the specification of a pod that is set aside: its name and labels alone.
const struct pod *pod_without_demand(struct problem *problem, const struct pod *pod);
