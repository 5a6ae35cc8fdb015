// A packing becomes a pass (packing.h): the pods are placed one by one, in the order in which the
// greedy pass placed them, each where the packing wants it. Every rule is checked on the way, so
// that a packing can be wrong about a pod but never break a rule: the pod is then treated like any
// other that has no place yet.
#pragma once

#include "engine/packing/packing.h"

// is left by the ordinary rules.
void packing_replay(struct packing *packing, struct pass *pass);
