// Access to the problem's pod classes (pod_class.h makes them).
#pragma once

#include "engine/problem/problem.h"

// SCH-517; a placeholder ranks below every pod.
static inline int64_t queued_pod_priority(const struct queued_pod *queued)
{
    return queued->placeholder                  ? INT64_MIN
           : queued->pod->spec.priority.present ? queued->pod->spec.priority.value
                                                : 0;
}
// In a simulation: the pod is of a node that it removes, not of one that goes anyway.
static inline bool queued_pod_is_displaced(const struct queued_pod *queued)
{
    return queued->on != NULL && !queued->on->marked_for_deletion;
}

// True if dropping the preference can matter. Dropping PREFERENCE_TAINTS changes nothing unless a
// pool has a PreferNoSchedule taint (SCH-165).
static inline bool class_can_give_up(const struct problem *problem, const struct pod_class *class,
                                     uint32_t preference)
{
    return class->preferences[preference].kind != PREFERENCE_TAINTS ||
           problem->templates.any_prefer_no_schedule;
}

static inline struct pod_class *class_at(const struct problem *problem, uint32_t class)
{
    return problem->interned.classes.items[class];
}

static inline const struct shape *shape_of(const struct problem *problem,
                                           const struct pod_class *class)
{
    return &problem->interned.shapes.items[class->shape];
}

// The required node affinity terms that are not dropped.
node_selector_term_list class_required_terms(const struct pod_class *class);
