// Nodes that can be deleted at once because their pods fit the other nodes (DIS-745). Consolidation
// tries this first: it buys nothing. The set is chosen as a whole: nodes are added, those that cost
// most for the room that they need or simply those that cost most first, as long as kube-scheduler
// would find a place for every pod of the set; then parts of the best set are chosen anew.
#pragma once

#include "engine/disruption/disruption.h"

// `wanted`: the candidates of the turn. Adds one command; false if fewer than `least` nodes can be
// deleted.
bool deletions_decide(struct disruption *disruption, const candidate_list *wanted, uint32_t least);
