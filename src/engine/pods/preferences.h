// What a pod rather wishes than needs, and giving it up: step by step in upstream's order
// (SCH-160), or by weight (SCH-509).
#pragma once

#include "engine/pods/classes.h"

// The class of the pod after one more step of relaxation, or NONE: the next of SCH-160, or without
// the lightest preference that is left (SCH-509).
uint32_t class_relax(struct problem *problem, uint32_t class);
// SCH-509: the class of the unrelaxed pod `original` without the preferences of the mask.
uint32_t class_without(struct problem *problem, uint32_t original, uint64_t given_up);
// What step led from `class` to the next, for DEBUG (SCH-164).
const char *class_relaxation_text(struct problem *problem, uint32_t class);
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
