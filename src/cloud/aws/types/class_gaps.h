// What a plan from files does not know of an EC2NodeClass, or does not count, and what it takes
// instead: zones, prices, images, addresses, reservations.
#pragma once

#include "base/text.h"
#include "model/reading/settings.h"
#include "model/schema/ec2_node_class.h"

struct class_gaps {
    const struct ec2_node_class *node_class; // as in the input
    const struct settings *settings;
    const char *const *zones_taken; // NULL-terminated; NULL: the status has the zones
    const char *region;
    bool listed;     // prices of the region are known
    bool gate_taken; // NodeClassCEL is off, but counts as on
};
// Adds "zones of the subnets (taken: us-east-1a), ..." to `unknown`.
void class_gaps_tell(const struct class_gaps *gaps, struct text *unknown);
