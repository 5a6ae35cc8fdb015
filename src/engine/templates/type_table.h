// A table of instance types, filtered and priced by requirement sets (SCH-235 to SCH-240, SCH-265).
#pragma once

#include "engine/problem/problem.h"

void type_table_free(struct type_table *table);

// The table filtered by a requirement set without hostname. Valid while the problem lives.
const struct row_filter *type_table_filter(struct problem *problem, struct type_table *table,
                                           uint32_t set);
// The same with prices.
const struct row_filter *type_table_prices(struct problem *problem, struct type_table *table,
                                           uint32_t set);
// The highest possible launch price by row (DIS-167): the most expensive offering of the capacity
// type that a launch would use. INT64_MAX if there is none. Valid while the problem lives.
const int64_t *type_table_worst_prices(struct problem *problem, struct type_table *table,
                                       uint32_t set);
// The same with list prices: `list` and `by_list`.
const struct row_filter *type_table_list_prices(struct problem *problem, struct type_table *table,
                                                uint32_t set);
// True if a row names the key.
static inline bool type_table_has_key(const struct type_table *table, uint32_t key)
{
    return key < table->has_key_count && table->has_key[key];
}
