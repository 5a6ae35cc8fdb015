// How long a refusal of EC2 is remembered, and for which offerings, by its cause (AWI-928).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum shortage_scope {
    SHORTAGE_NOTHING,   // says nothing about offerings: addresses, authorization
    SHORTAGE_POOL,      // type, zone and capacity type; backs off
    SHORTAGE_QUOTA,     // all types under the same quota, in all zones
    SHORTAGE_TYPE_ZONE, // the type in the zone, whatever the capacity type
    SHORTAGE_ALL,       // no launch at all
};
struct shortage_cause {
    enum shortage_scope scope;
    int64_t lifetime; // SHORTAGE_POOL: the first one
};
struct shortage_cause shortage_cause_of(const char *reason);
// The quota of vCPUs that the type counts to: "standard", "g", "p", ... never NULL.
const char *shortage_quota_of(const char *instance_type);
// Appends which quota of the account is used up, as Service Quotas calls it, where, and the remedy.
// False: the refusal is not by a quota that counts instances or vCPUs.
bool shortage_quota_advise(const char *reason, const char *instance_type, const char *capacity_type,
                           const char *region, struct text *out);
