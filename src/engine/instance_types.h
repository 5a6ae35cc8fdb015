// Instance types as rows of bit sets (SCH-43, 48, 117, 118, 235 to 240, 265; FMT-6).
#pragma once

#include "engine/problem.h"

// Marks the catalogues' label keys as well known (SCH-31: providers add theirs).
void instance_types_learn_keys(struct problem *problem);
void instance_types_add_dimensions(struct problem *problem);
// The types that serve a pool: catalogues that name it, else those that name nobody; NodeOverlays
// applied. NULL if there are none. Tables without overlays are shared between pools.
struct type_table *instance_types_for_pool(struct problem *problem, const struct node_pool *pool);
void type_table_free(struct type_table *table);

// What is left of the table for a requirement set without hostname. Valid while the problem lives.
const struct row_filter *type_table_filter(struct problem *problem, struct type_table *table,
                                           uint32_t set);
// The same with prices.
const struct row_filter *type_table_prices(struct problem *problem, struct type_table *table,
                                           uint32_t set);
// Whether a row names the key.
static inline bool type_table_has_key(const struct type_table *table, uint32_t key)
{
    return key < table->has_key_count && table->has_key[key];
}
