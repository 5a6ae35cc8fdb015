// Node selector terms as requirement sets, and as few of them as say the same (SCH-100 to SCH-104,
// SCH-508).
#pragma once

#include "engine/problem/problem.h"

// The key under which nodes carry their Node's name: what matchFields on `metadata.name` ask for
// (SCH-515). No label can have it.
#define KEY_NODE_NAME "field:metadata.name"

// The term as a set, its matchFields included; false if no node can be like that: an empty term, or
// expressions that contradict each other.
bool node_term_set(struct problem *problem, const struct node_selector_term *term, uint32_t *set);
// Drops sets that occur twice and merges those that differ in the values of one key only. Returns
// how many are left.
uint32_t node_terms_merge(struct problem *problem, uint32_t *sets, uint32_t count);
// What all nodes that one of the sets lets in have in common, key by key; `count` > 0.
uint32_t node_terms_common(struct problem *problem, const uint32_t *sets, uint32_t count);
