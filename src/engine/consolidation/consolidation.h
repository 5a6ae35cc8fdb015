// What consolidation makes of some candidates (DIS-150 to DIS-199): nothing, their deletion, or one
// cheaper node in their place.
#pragma once

#include "engine/consolidation/payback.h"
#include "engine/disruption/removal_simulation.h"

struct consolidation_move {
    enum move_kind { MOVE_NONE, MOVE_DELETE, MOVE_REPLACE } kind;
    struct removal_simulation removal;
    struct claim *claim;    // the replacement; its set and rows are narrowed as the rules say
    uint32_t priced;        // the set before it was narrowed to a capacity type: orders the types
    int64_t savings;        // DIS-193
    struct payback payback; // by expected prices (DIS-742)
    const char *why;        // MOVE_NONE: the event's text
    const char *rule;       // the same: the rule that decided
    int64_t least; // what the cheapest replacement costs at worst, before DIS-167; if asked
    const struct instance_type *least_type; // the same; NULL: not known
};

// The candidates of one turn, in their order; tells of those that cannot be consolidated.
candidate_list consolidation_candidates(struct disruption *disruption,
                                        const struct candidate_table *table);
// DIS-160 to DIS-179. The caller frees the move.
struct consolidation_move consolidate(struct disruption *disruption,
                                      struct disruption_candidate *const *candidates,
                                      uint32_t count);
void move_free(struct consolidation_move *move);
// DIS-203: a replacement must be cheaper than each machine of its type among the candidates.
// False: nothing is left, or not enough.
bool move_drop_own_types(struct disruption *disruption, struct consolidation_move *move,
                         struct disruption_candidate *const *candidates, uint32_t count);
// Narrows the move's claim, whose `priced` is its set, to what costs less than `price` in the place
// of the candidates (DIS-167 to DIS-176, DIS-740, DIS-741). NULL, or why there is nothing.
const char *move_narrow(struct disruption *disruption, struct consolidation_move *move,
                        struct disruption_candidate *const *candidates, uint32_t count,
                        int64_t price);
// DIS-172: the claim may not come in the place of the candidates, whatever it costs.
bool move_is_barred(struct disruption *disruption, const struct claim *claim,
                    struct disruption_candidate *const *candidates, uint32_t count);
// What a claim costs at best; 0 if that is not known. Upstream asks its first type, the types
// listed by the prices of the set `priced`, whether it can be launched or not (DIS-193, DIS-742).
int64_t move_price(struct disruption *disruption, const struct claim *claim, uint32_t priced);
// DIS-203 for the claim alone: no machine of a candidate's type that is not cheaper.
bool move_keep_off_own_types(struct disruption *disruption, struct consolidation_move *move,
                             struct disruption_candidate *const *candidates, uint32_t count);
// Adds the command to the plan.
void move_command(struct disruption *disruption, struct consolidation_move *move,
                  enum consolidation_type type, struct disruption_candidate *const *candidates,
                  uint32_t count);
