// The preferences of a pod: all of them by weight (SCH-509), and those that its class still has
// (SCH-160).
#pragma once

#include "engine/pods/classes.h"

// True for ScheduleAnyway.
bool spread_is_wish(const struct topology_spread_constraint *constraint);
// The pod tolerates every PreferNoSchedule taint.
bool pod_stands_soft_taints(const struct pod_spec *spec);
// Finds the preferences of a class by SCH-509, heaviest first. Relaxation does not change this
// list.
void class_find_preferences(struct problem *problem, struct pod_class *class);
// The remaining topology spread constraints, in order; needs room for all of the spec's.
uint32_t class_spreads(const struct pod_class *class,
                       const struct topology_spread_constraint **constraints);
// The remaining preferred terms, heaviest first.
uint32_t class_preferred_affinity(const struct pod_class *class, bool anti,
                                  const struct pod_affinity_term **terms);
// The preferred node affinity terms that currently act as requirements: all remaining ones
// (SCH-509) or the heaviest (SCH-100). Needs room for all of the spec's.
uint32_t class_preferred_nodes(const struct pod_class *class,
                               const struct node_selector_term **terms);
