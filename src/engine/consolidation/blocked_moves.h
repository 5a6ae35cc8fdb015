// Why consolidation leaves a candidate alone (DIS-770), as far as only the move itself tells: its
// simulation, its prices, its score.
#pragma once

#include "engine/consolidation/consolidation_move.h"

// A move of one candidate that is no command: `move->rule`, or the score (DIS-192). Where running
// pods would have gone but for the quiet time of other nodes, DIS-238; that is looked for only if
// texts are wanted.
void blocked_move_note(struct disruption *disruption, struct disruption_candidate *candidate,
                       const struct consolidation_move *move);
// A score below the threshold (DIS-192, DIS-196).
void blocked_score_note(struct disruption *disruption, const struct disruption_candidate *candidate,
                        const char *rule, int64_t savings);
// Pods that have no place elsewhere (DIS-161).
void blocked_removal_note(struct disruption *disruption,
                          const struct disruption_candidate *candidate,
                          const struct removal_simulation *removal);
