// The controller nodeclaim.lifecycle (LIF-22 to LIF-85): what makes a NodeClaim a machine, the
// machine a Node, the Node ready for pods; what gives up on one that does not come; what takes it
// away.
#pragma once

#include "control/nodeclaim/claim_pass.h"

struct lifecycle;
// WAKE_LIFECYCLE: by name of the NodeClaim.
struct lifecycle *lifecycle_create(struct control *control, const struct lifecycle_parts *parts);
void lifecycle_destroy(struct lifecycle *lifecycle);
