// Findings of EC2's status checks (AWI-580 to 587, 955): replies of DescribeInstanceStatus. Pure.
#pragma once

#include <jansson.h>

#include "base/map.h"
#include "cloud/aws/interruption/interruption_kinds.h"

enum status_category {
    STATUS_INSTANCE,
    STATUS_SYSTEM,
    STATUS_EVENT,
    STATUS_EBS, // counts for a machine whose root volume is its only one (AWI-958)
    STATUS_CATEGORY_COUNT
};
const char *status_category_name(enum status_category category);            // "InstanceStatus"
enum interruption_kind status_category_kind(enum status_category category); // no_op: ignored

struct instance_findings {
    bool found[STATUS_CATEGORY_COUNT];
    int64_t since;    // the earliest of the findings; 0: long ago
    bool event_ahead; // one that is due later than in a day
};
// Adds the findings of a reply at `now` to the map: instance id -> struct instance_findings, to be
// freed with free(). Instances without findings are left out; of an instance that is there the
// first answer counts. `upstream`: all events count, whatever their time and state (AWI-582);
// otherwise those that are due within a day, and neither completed nor cancelled (AWI-955).
void instance_status_read(struct map *instances, const json_t *reply, int64_t now, bool upstream);
