// The template's part of a NodeClaim (SCH-376): requirements, labels, annotations. The claims of a
// plan and those of static NodePools share it. Everything is copied into `arena` or belongs to the
// NodePool.
#pragma once

#include "engine/problem/problem.h"

// In API form, sorted by key, without the hostname and the simulation's own keys.
void claim_object_requirements(struct problem *problem, uint32_t set, struct arena *arena,
                               requirement_list *out);
// Sorted by key.
void claim_object_labels(struct problem *problem, const struct node_template *template,
                         uint32_t set, struct arena *arena, struct string_map *out);
// The template's annotations and the drift hash, unsorted, with room for four more.
void claim_object_annotations(const struct node_pool *pool, const char *hash, struct arena *arena,
                              struct string_map *out);

// Sets the pair, replacing one with the same key. The map must have room.
void pairs_put(struct string_map *map, const char *key, const char *value);
void pairs_sort(struct string_map *map);
