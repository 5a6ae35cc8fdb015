// Why consolidation leaves a candidate alone (DIS-770), as far as only the move itself tells: its
// simulation, its prices, its score.
#pragma once

#include "engine/consolidation/consolidation.h"

// A move of one candidate that is no command: `move->rule`, or the score (DIS-192). Where running
// pods would have gone but for the quiet time of other nodes, DIS-238; that is looked for only if
// texts are wanted.
void verdict_of_move(struct disruption *disruption, struct disruption_candidate *candidate,
                     const struct move *move);
// Remembers what the replacement would cost before dearer types are dropped (DIS-167).
void verdict_note_prices(struct disruption *disruption, struct move *move);
// A score below the threshold (DIS-192, DIS-196).
void verdict_of_score(struct disruption *disruption, const struct disruption_candidate *candidate,
                      const char *rule, int64_t savings);
// Pods that have no place elsewhere (DIS-161).
void verdict_of_trial(struct disruption *disruption, const struct disruption_candidate *candidate,
                      const struct trial *trial);
