// Last known prices, to be kept across restarts (AWI-916), as JSON:
// {"region": "us-west-2", "onDemand": {"m5.large": 0.096}, "spot": {"m5.large": {"us-west-2a":
// 0.04}}}
#pragma once

#include "cloud/aws/types/ec2_prices.h"

// All prices, or those that AWS has told (`answered`): the others are built in. Owned by the
// caller.
json_t *kept_prices_encode(const struct ec2_prices *prices, bool answered);
// Lays them over the present ones. Figures that are no prices are skipped; returns how many.
uint32_t kept_prices_decode(struct ec2_prices *prices, const json_t *value);
// The same for prices of an earlier life: what AWS has told since the start counts more, and those
// of another region are none.
uint32_t kept_prices_recall(struct ec2_prices *prices, const json_t *value);
