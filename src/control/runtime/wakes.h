// Controllers that others wake by the wake table (reconcile/wake.h), with their keys.
#pragma once

#include "reconcile/wake.h"

enum wake_target {
    WAKE_PROVISIONER,         // key: the UID of the changed object; a pass is due (SCH-10)
    WAKE_PROVISIONING_INPUTS, // no key: the last decision is outdated (SCH-526)
    WAKE_DISRUPTION,          // no key: the next evaluation should come soon
    WAKE_LIFECYCLE,           // key: the NodeClaim's name
};
