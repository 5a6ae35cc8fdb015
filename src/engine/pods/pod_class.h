// Pods as classes: pods that scheduling cannot tell apart are one (SCH-20 to SCH-36, SCH-100 to
// SCH-111, SCH-160 to SCH-167; design.md idea 5).
#pragma once

#include "engine/problem/problem.h"

// Which pods are scheduled, which are bound, what their selectors read; resources get dimensions.
void pods_collect(struct problem *problem);
// The class of every queued pod, as far as that needs no dimensions.
void pods_begin_classes(struct problem *problem);
// The order of the queue (SCH-150, SCH-410), for qsort over struct queued_pod.
int queued_pods_compare(const void *a, const void *b);
// SCH-517; a placeholder has less than any pod.
static inline int64_t queued_pod_priority(const struct queued_pod *queued)
{
    return queued->placeholder                  ? INT64_MIN
           : queued->pod->spec.priority.present ? queued->pod->spec.priority.value
                                                : 0;
}
// Classes, shapes, identities and the queue in its order (SCH-150). Needs dimensions.
void pods_classify(struct problem *problem);

// Giving up to stay off PreferNoSchedule taints changes nothing where no pool has one (SCH-165).
static inline bool class_can_give_up(const struct problem *problem, const struct pod_class *class,
                                     uint32_t preference)
{
    return class->preferences[preference].kind != PREFERENCE_TAINTS ||
           problem->templates.any_prefer_no_schedule;
}
// Makes a class of a pod with some preferences less; what is not of the spec is the class's own.
uint32_t class_derive(struct problem *problem, uint32_t class, const struct relaxation *relaxation);

static inline struct pod_class *class_at(const struct problem *problem, uint32_t class)
{
    return problem->interned.classes.items[class];
}
static inline const struct shape *shape_of(const struct problem *problem,
                                           const struct pod_class *class)
{
    return &problem->interned.shapes.items[class->shape];
}
// The identity of a pod, made if new.
uint32_t problem_identity(struct problem *problem, const struct pod *pod);

// The required node affinity terms that are left.
node_selector_term_list class_required_terms(const struct pod_class *class);
