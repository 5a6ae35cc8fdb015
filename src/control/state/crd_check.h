// The cluster's CustomResourceDefinitions against adze's (API-620), from the start on, also on a
// standby: a log line, an event and a metric say which CRD lacks what and the command that mends
// it. The controller goes on; the next look finds out when the CRD fits.
#pragma once

#include "control/runtime/control.h"

struct crd_check;
// Looks at those of NodePools, NodeClaims, the provider's node class and the gates that are on.
struct crd_check *crd_check_create(struct control *control);
void crd_check_destroy(struct crd_check *check); // NULL is fine
