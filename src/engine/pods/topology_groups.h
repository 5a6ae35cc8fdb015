// Rules between pods as groups: definitions and their identity (SCH-270 to SCH-282, SCH-291).
// topology.h keeps the counts.
#pragma once

#include "engine/problem/problem.h"

// Fills the class's groups and inverse groups (SCH-272, 278).
void topology_define_groups(struct problem *problem, struct pod_class *class);
// The inverse groups of a bound pod's required anti-affinity, in the arena (SCH-278 a).
uint32_t topology_define_inverse(struct problem *problem, const struct pod *pod,
                                 uint32_t **definitions);
// SCH-281.
bool group_selects(struct problem *problem, uint32_t definition, uint32_t identity);
// SCH-291: true if a node with these labels and taints passes the group's node filter. `is_claim`:
// well-known labels that the set leaves open may still satisfy the filter.
bool group_filter_passes(struct problem *problem, const struct group_definition *group,
                         uint32_t set, uint32_t hostname_value, uint32_t taints, bool is_claim);
// Compares by kind, key, text: the order of groups in messages (SCH-318).
int group_compare(const struct problem *problem, uint32_t a, uint32_t b);
