// The controller static.provisioning (LIF-232): it creates NodeClaims up to a static NodePool's
// `replicas`, within its `limits.nodes`.
//
// The controller chooses the NodeClaim's name, so that a create call without an answer can be
// repeated: the second call creates the NodeClaim or finds it. A NodeClaim that ends before its
// launch delays the next ones of its pool, for a time that grows (LIF-440).
#pragma once

#include "control/runtime/control.h"

struct static_capacity;
// LIF-232 and LIF-233; NULL without the gate StaticCapacity.
struct launch_backoff;
struct static_provisioning *static_provisioning_create(struct control *control,
                                                       struct static_capacity *capacity,
                                                       struct launch_backoff *launch_backoff);
void static_provisioning_destroy(struct static_provisioning *provisioning);
