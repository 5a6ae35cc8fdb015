// Pods as classes: scheduling cannot tell the pods of a class apart (SCH-20 to SCH-36, SCH-100 to
// SCH-111, SCH-160 to SCH-167; design.md idea 5).
#pragma once

#include "engine/pods/classes.h"
#include "engine/problem/problem.h"

// Collects the queued and bound pods and the labels that their selectors read; adds dimensions for
// their resources.
void pods_collect(struct problem *problem);
// Finds the class of every queued pod, as far as possible without dimensions.
void pods_begin_classes(struct problem *problem);
// The order of the queue (SCH-150, SCH-410), for qsort over struct queued_pod.
int queued_pods_compare(const void *a, const void *b);
// Compiles classes, shapes and identities and sorts the queue (SCH-150). Needs dimensions.
void pods_classify(struct problem *problem);

// Derives a class with fewer preferences. Everything outside the spec is copied from the class.
uint32_t class_derive(struct problem *problem, uint32_t class, const struct relaxation *relaxation);

// Interns the pod's identity.
uint32_t problem_identity(struct problem *problem, const struct pod *pod);
