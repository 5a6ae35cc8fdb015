// All that the prices of a region depend on.
#pragma once

#include "base/loop.h"
#include "cloud/aws/types/own_prices.h"

struct ec2_prices_options {
    struct loop *loop;
    const char *region;
    bool isolated_vpc, upstream;  // upstream: every 12 h, last record wins (AWI-206 to 208)
    const struct own_prices *own; // the user's (own_prices.h); NULL: none
    void (*changed)(void *context);
    void *context;
};
