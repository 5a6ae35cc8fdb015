// A table of instance types, filtered and priced by requirement sets (SCH-235 to SCH-240, SCH-265).
#pragma once

#include "engine/problem/problem.h"

void type_table_free(struct type_table *table);

// What is left of the table for a requirement set without hostname. Valid while the problem lives.
const struct row_filter *type_table_filter(struct problem *problem, struct type_table *table,
                                           uint32_t set);
// The same with prices.
const struct row_filter *type_table_prices(struct problem *problem, struct type_table *table,
                                           uint32_t set);
// What a launch could cost at most, by row (DIS-167): the dearest offering of the capacity type
// that would be launched. INT64_MAX if there is none. Valid as long.
const int64_t *type_table_worst_prices(struct problem *problem, struct type_table *table,
                                       uint32_t set);
// Whether a row names the key.
static inline bool type_table_has_key(const struct type_table *table, uint32_t key)
{
    return key < table->has_key_count && table->has_key[key];
}
