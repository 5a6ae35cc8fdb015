// The store of prices, for the sources of ec2_prices.h.
#pragma once

#include "base/map.h"
#include "cloud/aws/types/ec2_prices_options.h"
#include "cloud/aws/types/price_records.h"

#define PRICE_KEY_MAX 512

struct ec2_prices;
struct on_demand_price {
    int64_t price;
    bool answered; // by AWS, now or in an earlier life; false: built in
};
struct spot_price {
    int64_t price, timestamp, mentioned_at;
};
struct ec2_prices {
    struct ec2_prices_options options;
    char *region;
    bool listed;                    // the built-in prices are the region's own
    struct region_prices *built_in; // of the region; NULL under COMPATIBILITY=upstream
    struct map *on_demand;          // type -> struct on_demand_price
    struct map *spot;               // "type zone" -> struct spot_price
    struct map *zones;              // local zone -> struct region_prices, made when asked for
    bool spot_updated;              // before: the on-demand price in every zone (AWI-211)
    bool on_demand_answered, spot_answered; // by AWS in this life
    int64_t spot_asked_at;                  // the last successful update; 0: none
    int64_t skip_logged_at;
    uint64_t generation;
    struct price_update *updates[2]; // under way: on demand, spot
};

void ec2_prices_set_on_demand(struct ec2_prices *prices, const char *instance_type, int64_t price,
                              bool answered, bool *any);
void ec2_prices_set_spot(struct ec2_prices *prices, const struct price_record *record, int64_t now,
                         bool *any);
void ec2_prices_changed(struct ec2_prices *prices);
