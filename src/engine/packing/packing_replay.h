// Turns a packing into a pass (packing.h): places the pods one by one, in the order of the greedy
// pass, each where the packing puts it. The pass checks every rule, so a packing can be wrong about
// a pod but cannot break a rule; the pod is then placed like any unplaced one.
#pragma once

#include "engine/packing/packing.h"

// Places the pods in `pass`, which is empty; remaining pods go through the ordinary queue loop.
void packing_replay(struct packing *packing, struct pass *pass);
