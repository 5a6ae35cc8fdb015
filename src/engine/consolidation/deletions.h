// Nodes that can all be deleted at once, since their pods find room on the others (DIS-745): what
// consolidation does first, for it buys nothing. The set is chosen as a whole: the dearest nodes
// for the least room first, each kept only if kube-scheduler would find a place for every pod of
// the set.
#pragma once

#include "engine/disruption/disruption.h"

// `wanted`: the candidates of the turn. Adds one command; false: fewer than `least` nodes can be
// deleted.
bool deletions_decide(struct disruption *disruption, const candidate_list *wanted, uint32_t least);
