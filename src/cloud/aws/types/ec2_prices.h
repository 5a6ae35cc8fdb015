// Prices of EC2 (AWI-200 to 214, 915): on demand by type, spot by type and zone. Built-in list
// prices until the first update; an update is built aside and then swapped in.
#pragma once

#include "cloud/aws/client/aws_client.h"
#include "cloud/aws/types/ec2_prices_options.h"

struct ec2_prices;
struct ec2_prices *ec2_prices_create(const struct ec2_prices_options *options);
void ec2_prices_destroy(struct ec2_prices *prices); // NULL is fine

// Updates; `done` once. The error names what failed; the other half is kept all the same.
typedef void (*ec2_prices_done)(void *context, const struct error *error);
void ec2_prices_update_on_demand(struct ec2_prices *prices, struct aws_client *client,
                                 ec2_prices_done done, void *context);
void ec2_prices_update_spot(struct ec2_prices *prices, struct aws_client *client,
                            ec2_prices_done done, void *context);

// Nano-USD an hour; false: unknown.
bool ec2_price_on_demand(const struct ec2_prices *prices, const char *instance_type,
                         int64_t *price);
// In this zone: a local or wavelength zone has prices of its own (AWI-917).
bool ec2_price_on_demand_in(const struct ec2_prices *prices, const char *instance_type,
                            const char *zone, int64_t *price);
bool ec2_price_spot(const struct ec2_prices *prices, const char *instance_type, const char *zone,
                    int64_t *price);
// Expected interruptions of a spot machine in a month, in 10^-9; 0: unknown.
int64_t ec2_price_interruptions(const struct ec2_prices *prices, const char *instance_type);
uint64_t ec2_prices_generation(const struct ec2_prices *prices);
// Whether the built-in prices are of a list of the region (AWI-201, 916); else of another region's.
bool ec2_prices_listed(const struct ec2_prices *prices);
