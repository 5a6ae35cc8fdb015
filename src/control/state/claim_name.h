// The name of a new NodeClaim: the NodePool's, and five random characters.
#pragma once

#include "control/runtime/control.h"

#define CLAIM_NAME_MAX 64
// A name that no known NodeClaim has.
void choose_claim_name(struct control *control, const char *pool, char name[CLAIM_NAME_MAX]);
