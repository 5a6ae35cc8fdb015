// What the NodeClaim of a template says of itself (SCH-376): requirements, labels, annotations.
// Shared by the claims of a plan and those of static NodePools. Everything is copied into `arena`
// or belongs to the NodePool.
#pragma once

#include "engine/problem/problem.h"

// In API form, sorted by key, without the hostname and the keys of the simulation.
void claim_object_requirements(struct problem *problem, uint32_t set, struct arena *arena,
                               requirement_list *out);
// Sorted by key.
void claim_object_labels(struct problem *problem, const struct node_template *template,
                         uint32_t set, struct arena *arena, struct string_map *out);
// Those of the template and the drift hash; room for three more is left, unsorted.
void claim_object_annotations(const struct node_pool *pool, const char *hash, struct arena *arena,
                              struct string_map *out);

// Sets the pair, replacing one of the same key. There must be room.
void pairs_put(struct string_map *map, const char *key, const char *value);
void pairs_sort(struct string_map *map);
