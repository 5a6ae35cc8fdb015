// Pods as classes: pods that scheduling cannot tell apart are one (SCH-20 to SCH-36, SCH-100 to
// SCH-111, SCH-160 to SCH-167; design.md idea 5).
#pragma once

#include "engine/problem.h"

// Which pods are scheduled, which are bound, what their selectors read; resources get dimensions.
void pods_collect(struct problem *problem);
// The class of every queued pod, as far as that needs no dimensions.
void pods_begin_classes(struct problem *problem);
// What makes a pod's class, as text.
void pod_class_key(const struct problem *problem, const struct queued_pod *queued,
                   struct text *key);
// The order of the queue (SCH-150, SCH-410), for qsort over struct queued_pod.
int queued_pods_compare(const void *a, const void *b);
// Classes, shapes, identities and the queue in its order (SCH-150). Needs dimensions.
void pods_classify(struct problem *problem);

// The class of the pod after one more step of relaxation (SCH-160), or NONE.
uint32_t class_relax(struct problem *problem, uint32_t class);
// What step led from `class` to the next, for DEBUG (SCH-164).
const char *class_relaxation_text(struct problem *problem, uint32_t class);

// Marks the label keys that a pod of this spec asks Nodes for.
void pod_spec_ask_keys(struct problem *problem, const struct pod_spec *spec);

static inline struct pod_class *class_at(const struct problem *problem, uint32_t class)
{
    return problem->classes.items[class];
}
static inline const struct shape *shape_of(const struct problem *problem,
                                           const struct pod_class *class)
{
    return &problem->shapes.items[class->shape];
}
// The identity of a pod, made if new.
uint32_t problem_identity(struct problem *problem, const struct pod *pod);

// The topology spread constraints that are left, in order; room for all of the spec's.
uint32_t class_spreads(const struct pod_class *class,
                       const struct topology_spread_constraint **constraints);
// The preferred terms that are left, heaviest first.
uint32_t class_preferred_affinity(const struct pod_class *class, bool anti,
                                  const struct pod_affinity_term **terms);
// The required node affinity terms that are left.
node_selector_term_list class_required_terms(const struct pod_class *class);
