// Pods as classes: pods that scheduling cannot tell apart are one (SCH-20 to SCH-36, SCH-100 to
// SCH-111, SCH-160 to SCH-167; design.md idea 5).
#pragma once

#include "engine/pods/classes.h"
#include "engine/problem/problem.h"

// Which pods are scheduled, which are bound, what their selectors read; resources get dimensions.
void pods_collect(struct problem *problem);
// The class of every queued pod, as far as that needs no dimensions.
void pods_begin_classes(struct problem *problem);
// The order of the queue (SCH-150, SCH-410), for qsort over struct queued_pod.
int queued_pods_compare(const void *a, const void *b);
// Classes, shapes, identities and the queue in its order (SCH-150). Needs dimensions.
void pods_classify(struct problem *problem);

// Makes a class of a pod with some preferences less; what is not of the spec is the class's own.
uint32_t class_derive(struct problem *problem, uint32_t class, const struct relaxation *relaxation);

// The identity of a pod, made if new.
uint32_t problem_identity(struct problem *problem, const struct pod *pod);
