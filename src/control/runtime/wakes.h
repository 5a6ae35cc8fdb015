// Controllers that others wake by the wake table (reconcile/wake.h), and what their keys are.
#pragma once

#include "reconcile/wake.h"

enum wake_target {
    WAKE_PROVISIONER,         // key: the UID of what has changed; a pass is due (SCH-10)
    WAKE_PROVISIONING_INPUTS, // no key: the last decision does not hold any more (SCH-526)
    WAKE_DISRUPTION,          // no key: the next look at the nodes should come soon
    WAKE_LIFECYCLE,           // key: the NodeClaim's name
};
