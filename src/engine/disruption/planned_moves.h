// Where the pods of a command's nodes are planned to go: for its description (DIS-755) and for
// comparison with the outcome (DIS-749).
#pragma once

#include "engine/disruption/removal_simulation.h"

// Fills the places of the candidates' pods from the finished pass, in the plan's arena.
// `replacements` are the command's claims, in its order. Does nothing under COMPATIBILITY=upstream.
void planned_moves_find(struct disruption *disruption, const struct pass *pass,
                        struct disruption_candidate *const *candidates, uint32_t count,
                        struct claim *const *replacements, uint32_t replacements_count,
                        struct plan_moves *moves);
