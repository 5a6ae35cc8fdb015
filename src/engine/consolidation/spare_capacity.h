// The room on nodes that stay, for candidates whose pods would fit into it (DIS-745): no simulation
// is run, so what fits by the sums alone may not fit in the end.
#pragma once

#include "engine/disruption/disruption.h"

struct holes {
    const struct disruption *disruption;
    struct arena *arena;
    int64_t *room; // by dimension: of all nodes that take pods and have not been taken
};
struct wish { // a candidate, and what its pods need
    struct disruption_candidate *candidate;
    const int64_t *needs; // by dimension
    int64_t cost;         // that its going saves
    int64_t share;        // of all room, in millionths; more than 1000000: it does not fit
};
// Lives in `arena`.
struct holes holes_find(const struct disruption *disruption, struct arena *arena);
struct wish holes_wish(const struct holes *holes, struct disruption_candidate *candidate);
bool wish_may_fit(const struct wish *wish);
// For qsort: the dearest node for the least room first. Equal ones are equal.
int wishes_compare(const struct wish *a, const struct wish *b);
// Takes the room that the pods need, and the node's own with it; false: there is not enough.
bool holes_take(struct holes *holes, const struct wish *wish);
