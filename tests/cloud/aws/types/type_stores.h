// What instance types are computed from, in us-west-2 on virtual time: prices, what is unavailable,
// reservations, placement groups.
#pragma once

#include "base/loop.h"
#include "cloud/aws/types/ec2_types.h"
#include "model/reading/settings.h"

struct type_stores {
    struct unavailable_offerings *unavailable;
    struct reservation_counts *reservations;
    struct placement_groups *groups;
    struct ec2_prices *prices;
    struct ec2_types *types;
};

// more: the other options of the types (their hooks). upstream: how shortages are remembered.
void type_stores_open(struct type_stores *stores, struct loop *loop,
                      const struct settings *settings, bool upstream,
                      const struct ec2_types_options *more);
void type_stores_close(struct type_stores *stores);
