// The target of consolidation: the lowest cost of the nodes that may go, if their pods were packed
// again (DIS-745). The closer the cluster is to it, the more a move with launches must save: the
// last percents are not worth a machine each.
#pragma once

#include "engine/disruption/disruption.h"

// Sets disruption->least_saving_percent, of the price of a move's nodes, from the candidates of the
// turn; computed once.
void repack_target_find(struct disruption *disruption, const struct candidate_table *table);
// Whether a move of candidates of that price that saves so much is still worth its launches, after
// those of the turn that this function has said true to.
bool repack_target_takes(struct disruption *disruption, int64_t price, int64_t savings);
