// The decision for some candidates (DIS-150 to DIS-199): nothing, their deletion, or one cheaper
// node in their place.
#pragma once

#include "engine/consolidation/consolidation_move.h"

// The candidates of one turn, in order; adds events for those that cannot be consolidated.
candidate_list consolidation_candidates(struct disruption *disruption,
                                        const struct candidate_table *table);
// DIS-160 to DIS-179. The caller frees the move.
struct consolidation_move consolidate(struct disruption *disruption,
                                      struct disruption_candidate *const *candidates,
                                      uint32_t count);
// DIS-203: a replacement must cost less than each candidate of the same type. False: nothing, or
// not enough, is left.
bool move_drop_own_types(struct disruption *disruption, struct consolidation_move *move,
                         struct disruption_candidate *const *candidates, uint32_t count);
// Adds the command to the plan.
void move_command(struct disruption *disruption, struct consolidation_move *move,
                  enum consolidation_type type, struct disruption_candidate *const *candidates,
                  uint32_t count);
