// Why consolidation rejects a candidate (DIS-770), found by the move itself: its simulation, prices
// or score.
#pragma once

#include "engine/consolidation/consolidation_move.h"

// Records a rejected move of one candidate: `move->rule`, or the score (DIS-192). Records DIS-238
// instead if running pods would have gone to quiet nodes; this is only checked if texts are
// requested.
void blocked_move_note(struct disruption *disruption, struct disruption_candidate *candidate,
                       const struct consolidation_move *move);
// Records a score below the threshold (DIS-192, DIS-196).
void blocked_score_note(struct disruption *disruption, const struct disruption_candidate *candidate,
                        const char *rule, int64_t savings);
// Records pods without another place (DIS-161).
void blocked_removal_note(struct disruption *disruption,
                          const struct disruption_candidate *candidate,
                          const struct removal_simulation *removal);
