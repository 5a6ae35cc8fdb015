// Prices of EC2 (AWI-200 to 214, 915): on demand by type, spot by type and zone. Built-in list
// prices until the first update; an update is built aside and then swapped in.
#pragma once

#include "cloud/aws/client/aws_client.h"
#include "cloud/aws/types/own_prices.h"

struct ec2_prices;
struct ec2_prices_options {
    struct loop *loop;
    const char *region;
    bool isolated_vpc, upstream;  // upstream: every 12 h, last record wins (AWI-206 to 208)
    const struct own_prices *own; // the user's (own_prices.h); NULL: none
    void (*changed)(void *context);
    void *context;
};
struct ec2_prices *ec2_prices_create(const struct ec2_prices_options *options);
void ec2_prices_destroy(struct ec2_prices *prices);

// Updates; `done` once. The error names what failed; the other half is kept all the same.
typedef void (*ec2_prices_done)(void *context, const struct error *error);
void ec2_prices_update_on_demand(struct ec2_prices *prices, struct aws_client *client,
                                 ec2_prices_done done, void *context);
void ec2_prices_update_spot(struct ec2_prices *prices, struct aws_client *client,
                            ec2_prices_done done, void *context);

// Nano-USD an hour; false: unknown.
bool ec2_price_on_demand(const struct ec2_prices *prices, const char *instance_type,
                         int64_t *price);
bool ec2_price_spot(const struct ec2_prices *prices, const char *instance_type, const char *zone,
                    int64_t *price);
uint64_t ec2_prices_generation(const struct ec2_prices *prices);

// Last known prices to keep (AWI-916), or a user's own: {"onDemand": {"m5.large": 0.096}, "spot":
// {"m5.large": {"us-west-2a": 0.04}}}. The result is owned by the caller.
json_t *ec2_prices_encode(const struct ec2_prices *prices);
// Lays them over the present ones. Figures that are no prices are skipped; returns how many.
uint32_t ec2_prices_decode(struct ec2_prices *prices, const json_t *value);
