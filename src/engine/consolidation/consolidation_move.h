// One move of consolidation: nothing, a deletion, or a cheaper replacement.
#pragma once

#include "engine/consolidation/payback.h"
#include "engine/disruption/removal_simulation.h"

struct consolidation_move {
    enum move_kind { MOVE_NONE, MOVE_DELETE, MOVE_REPLACE } kind;
    struct removal_simulation removal;
    struct claim *claim;    // the replacement; its set and rows are narrowed by the rules
    uint32_t priced;        // the set before narrowing to a capacity type: orders the types
    int64_t savings;        // DIS-193
    struct payback payback; // by expected prices (DIS-742)
    const char *why;        // MOVE_NONE: text of the event
    const char *rule;       // MOVE_NONE: the deciding rule
    int64_t least; // worst-case price of the cheapest replacement, before DIS-167; if computed
    const struct instance_type *least_type; // its type; NULL: unknown
};
void move_free(struct consolidation_move *move);
// The lowest price of a claim; 0 if unknown. Upstream uses the claim's first type, sorted by the
// prices of the set `priced`, even if that cannot be launched (DIS-193, DIS-742).
int64_t move_price(struct disruption *disruption, const struct claim *claim, uint32_t priced);
// Records the replacement's price before more expensive types are dropped (DIS-167).
void move_note_prices(struct disruption *disruption, struct consolidation_move *move);
