// Where the pods of a command's nodes are to go: for its description (DIS-755), and for comparison
// with what happens (DIS-749).
#pragma once

#include "engine/disruption/removal_simulation.h"

// The places of the candidates' pods in the finished pass, in the plan's arena. `replacements` are
// the claims that the command has, in its order. Nothing under COMPATIBILITY=upstream.
void planned_moves_find(struct disruption *disruption, const struct pass *pass,
                        struct disruption_candidate *const *candidates, uint32_t count,
                        struct claim *const *replacements, uint32_t replacements_count,
                        struct plan_moves *moves);
