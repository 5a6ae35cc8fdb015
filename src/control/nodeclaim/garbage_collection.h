// Garbage collection both ways: NodeClaims without instance (LIF-160) and instances without
// NodeClaim (LIF-161). Each pass lists the provider's instances first, so that a slow answer is
// compared with newer cluster data, never with older. The mirror may lag behind, most of all a new
// leader's, whose predecessor launched until its end. So the NodeClaims are listed from the API
// server before the first instance of a pass is deleted.
#pragma once

#include "control/runtime/control.h"

struct interruptions;
// LIF-160, LIF-161.
struct garbage_collection *garbage_collection_create(struct control *control,
                                                     struct interruptions *interruptions);
void garbage_collection_destroy(struct garbage_collection *collection);
