// The controller nodeclaim.lifecycle (LIF-22 to LIF-85): launch of a NodeClaim's machine,
// registration and initialization of its Node, deletion of NodeClaims that time out, and their
// finalization.
#pragma once

#include "control/nodeclaim/claim_pass.h"

struct lifecycle;
// WAKE_LIFECYCLE: by name of the NodeClaim.
struct lifecycle *lifecycle_create(struct control *control, const struct lifecycle_parts *parts);
void lifecycle_destroy(struct lifecycle *lifecycle);
