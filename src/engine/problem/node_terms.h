// Node selector terms as requirement sets, merged where possible (SCH-100 to SCH-104, SCH-508).
#pragma once

#include "engine/problem/problem.h"

// The key of a node's Node name, for matchFields on `metadata.name` (SCH-515). No label can have
// this key.
#define KEY_NODE_NAME "field:metadata.name"

// The term as a set, with its matchFields. False if no node can match: the term is empty or
// contradicts itself.
bool node_term_set(struct problem *problem, const struct node_selector_term *term, uint32_t *set);
// Drops duplicate sets and merges sets that differ in the values of one key only. Returns the
// number of sets left.
uint32_t node_terms_merge(struct problem *problem, uint32_t *sets, uint32_t count);
// The requirements that hold for all nodes that match one of the sets, key by key; `count` > 0.
uint32_t node_terms_common(struct problem *problem, const uint32_t *sets, uint32_t count);
