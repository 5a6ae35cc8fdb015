// Scores of moves in pools with policy Balanced (DIS-190 to DIS-197, DIS-701).
#pragma once

#include "engine/disruption/disruption.h"

// DIS-190 to DIS-197: true if the policies of all pools approve the move.
bool balanced_policy_approves(struct disruption_candidate *const *candidates, uint32_t count,
                              int64_t savings);
// Records the scores of a move for metrics and events.
void balanced_policy_note_scores(struct disruption *disruption,
                                 struct disruption_candidate *const *candidates, uint32_t count,
                                 int64_t savings);
// DIS-196: true if the candidate's deletion could be approved.
bool balanced_policy_may_approve(const struct disruption_candidate *candidate);
