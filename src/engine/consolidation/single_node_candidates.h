// The candidates of single-node consolidation, in the order in which they are looked at (DIS-214).
#pragma once

#include "engine/disruption/disruption.h"

// By merit, the NodePools in turn; notes the method's turn.
candidate_list single_node_candidates(struct disruption *disruption,
                                      const struct candidate_table *table);
