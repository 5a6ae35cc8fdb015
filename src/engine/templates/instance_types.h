// Instance types as rows of bit sets (SCH-43, 48, 117, 118, 235 to 240, 265; FMT-6).
#pragma once

#include "engine/problem/problem.h"

// Marks the catalogs' label keys as well known (SCH-31: providers add theirs).
void instance_types_learn_keys(struct problem *problem);
void instance_types_add_dimensions(struct problem *problem);
// The types that serve a pool, by name: those of the catalogs that name the pool, else of the
// catalogs that name no pool.
const struct instance_type **instance_types_list(struct problem *problem,
                                                 const struct node_pool *pool, uint32_t *count);
// A type's requirements, with its name as a requirement (FMT-7).
uint32_t instance_type_set(struct problem *problem, const struct instance_type *type);
