// EC2's Linux prices by region, built in (data/ec2/region-prices.txt): the on-demand list price of
// each type, its spot price of one day and the zones that offer it, where these are known.
//
// A type that the region's list lacks has an estimate: the price of another region (us-east-1, or
// the one that is nearest by name), times the relation of the two regions' prices for the family
// (AWI-916). Regions that the table lacks, too. All prices of a table are in its one currency.
// Immutable once made; a table is made in some milliseconds, so keep it while it is in use.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

struct region_price {
    const char *instance_type;
    int64_t on_demand;     // billionths of the currency an hour, > 0
    bool estimate;         // on_demand is not of a list; then spot and zones are unknown
    int64_t spot;          // average over the zones; 0: unknown
    int64_t interruptions; // of a spot machine in a month, in 10^-9; 0: unknown
    uint64_t zones;        // bits of the table's zones that offer the type; 0: unknown
};
struct region_prices {
    struct arena *arena;
    const char *region, *currency;     // "USD", cn-*: "CNY"
    bool listed;                       // the region has prices of its own; else all are estimates
    const char *const *zones;          // ids ("euw1-az1"), sorted
    uint32_t zones_count;              // 0: unknown
    const struct region_price *prices; // by instance type
    uint32_t count;
};

// Any region, local zone ("us-west-2-lax-1") or wavelength zone ("us-east-1-wl1-chi1"); never NULL.
struct region_prices *region_prices_create(const char *region);
void region_prices_destroy(struct region_prices *prices); // NULL is fine
const struct region_price *region_prices_find(const struct region_prices *prices,
                                              const char *instance_type); // NULL: unknown

// The names of regions with prices of their own, sorted, NULL-terminated; zones are left out
// unless `all`. In `arena`.
const char *const *region_prices_regions(struct arena *arena, bool all);
