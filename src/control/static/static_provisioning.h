// The controller static.provisioning (LIF-232): as many NodeClaims as a static NodePool's
// `replicas` says, within its `limits.nodes`.
//
// The name of a NodeClaim is chosen here, so that a create call whose answer was lost can be made
// again: the second either creates it or learns that it is there. A NodeClaim that ends before it
// was launched holds back the next ones of its pool for a while that grows (LIF-440).
#pragma once

#include "control/runtime/control.h"

struct static_capacity;
// LIF-232 and LIF-233; NULL without the gate StaticCapacity.
struct launch_backoff;
struct static_provisioning *static_provisioning_create(struct control *control,
                                                       struct static_capacity *capacity,
                                                       struct launch_backoff *launch_backoff);
void static_provisioning_destroy(struct static_provisioning *provisioning);
