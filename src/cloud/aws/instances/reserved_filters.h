// The filters of launches into capacity reservations (AWI-272 to 274).
#pragma once

#include "cloud/aws/instances/launch_candidate.h"

struct launch_filter { // marks what it rejects; offerings are dropped at once
    const struct node_claim *claim;
    struct launch_candidates *candidates;
    bool *rejected; // by candidate; all false before a filter
};
void filter_reservation_type(struct launch_filter *filter);
void filter_capacity_block(struct launch_filter *filter);
void filter_reserved_offering(struct launch_filter *filter);
