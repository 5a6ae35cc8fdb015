// Garbage collection both ways: NodeClaims whose instance is gone (LIF-160) and instances that no
// NodeClaim has (LIF-161). Each pass lists the provider's instances first, so that a slow answer is
// compared with newer cluster data, never with older. An instance seems to be nobody's by the
// mirror, which may lag behind - a new leader's most of all, whose predecessor has launched to the
// last moment. So before the first instance of a pass goes, the NodeClaims are listed from the API
// server itself.
#pragma once

#include "control/runtime/control.h"

struct interruptions;
// LIF-160, LIF-161.
struct garbage_collection *garbage_collection_create(struct control *control,
                                                     struct interruptions *interruptions);
void garbage_collection_destroy(struct garbage_collection *collection);
