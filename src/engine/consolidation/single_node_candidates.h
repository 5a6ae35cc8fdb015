// The candidates of single-node consolidation, in order (DIS-214).
#pragma once

#include "engine/disruption/disruption.h"

// By merit, alternating over NodePools; records the method's turn.
candidate_list single_node_candidates(struct disruption *disruption,
                                      const struct candidate_table *table);
