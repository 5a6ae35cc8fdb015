// The preferences of a pod: all of its wishes by weight (SCH-509), and those that its class has
// left (SCH-160).
#pragma once

#include "engine/pods/classes.h"

// ScheduleAnyway: the constraint is a wish.
bool spread_is_wish(const struct topology_spread_constraint *constraint);
// The pod tolerates every PreferNoSchedule taint.
bool pod_stands_soft_taints(const struct pod_spec *spec);
// The preferences of a class by SCH-509, heaviest first; they stay the same while it is relaxed.
void class_find_preferences(struct problem *problem, struct pod_class *class);
// The topology spread constraints that are left, in order; room for all of the spec's.
uint32_t class_spreads(const struct pod_class *class,
                       const struct topology_spread_constraint **constraints);
// The preferred terms that are left, heaviest first.
uint32_t class_preferred_affinity(const struct pod_class *class, bool anti,
                                  const struct pod_affinity_term **terms);
// The preferred node affinity terms that are requirements for now: all that are left (SCH-509), or
// the heaviest of them (SCH-100). Room for all of the spec's.
uint32_t class_preferred_nodes(const struct pod_class *class,
                               const struct node_selector_term **terms);
