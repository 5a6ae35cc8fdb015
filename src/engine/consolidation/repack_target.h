// The cost of the nodes that may go if their pods were packed anew, at the best: the target of
// consolidation (DIS-745). The nearer the cluster is to it, the more a move that launches must
// save: the last per cent are not worth a machine each.
#pragma once

#include "engine/disruption/disruption.h"

// Sets disruption->least_saving_percent, of the price of a move's nodes, by the candidates of the
// turn; worked out once.
void repack_target_find(struct disruption *disruption, const struct candidate_table *table);
