// One move of consolidation: nothing, a deletion, or one cheaper node in the place of others.
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
void move_free(struct consolidation_move *move);
// The lowest price of a claim; 0 if that is not known. Upstream asks its first type, the types
// listed by the prices of the set `priced`, whether it can be launched or not (DIS-193, DIS-742).
int64_t move_price(struct disruption *disruption, const struct claim *claim, uint32_t priced);
// Remembers what the replacement would cost before dearer types are dropped (DIS-167).
void move_note_prices(struct disruption *disruption, struct consolidation_move *move);
