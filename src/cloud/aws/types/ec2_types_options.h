// All that the instance types of a region depend on.
#pragma once

#include "base/loop.h"
#include "cloud/aws/types/ec2_prices.h"
#include "cloud/aws/types/placement_group.h"
#include "cloud/aws/types/reservation_counts.h"
#include "cloud/aws/types/type_figures.h"
#include "cloud/aws/types/unavailable_offerings.h"
#include "model/reading/settings.h"

struct ec2_types_options { // borrowed
    struct loop *loop;
    const struct settings *settings;
    const char *region;
    const struct ec2_prices *prices;
    const struct unavailable_offerings *unavailable;
    const struct reservation_counts *reservations;
    const struct placement_groups *groups;
    struct type_figures *figures; // NULL: those built in, of its own
    // Whether a zone id is shifted away from (AWI-650); NULL: none is.
    bool (*zone_is_shifted)(void *context, const char *zone_id);
    // AWI-167: the overlay price of an unpriced type in nano-USD, 0: none; NULL: none.
    int64_t (*overlay_price)(void *context, const char *instance_type);
    void (*changed)(void *context); // infos or zones have changed
    void *context;
};
