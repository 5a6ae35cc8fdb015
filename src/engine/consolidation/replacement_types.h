// Instance types that may replace candidates: cheaper ones, of capacity types and in zones that
// leave some, and as many as spot needs (DIS-167 to DIS-176, DIS-203).
#pragma once

#include "engine/consolidation/consolidation_move.h"

// Narrows the move's claim, whose `priced` is its set, to types that replace the candidates for
// less than `price` (DIS-167 to DIS-176, DIS-740, DIS-741). NULL, or why none is left.
const char *move_narrow(struct disruption *disruption, struct consolidation_move *move,
                        struct disruption_candidate *const *candidates, uint32_t count,
                        int64_t price);
// DIS-172: the claim may not replace the candidates, at any price.
bool move_is_barred(struct disruption *disruption, const struct claim *claim,
                    struct disruption_candidate *const *candidates, uint32_t count);
// DIS-203 for the claim alone: drops candidates' types that are not cheaper.
bool move_keep_off_own_types(struct disruption *disruption, struct consolidation_move *move,
                             struct disruption_candidate *const *candidates, uint32_t count);
