// The sets of candidates tried together (DIS-745): the most valuable so far, and the remaining
// budget of simulations.
#pragma once

#include "engine/consolidation/consolidation_split.h"

struct tried_set { // a set of candidates, by the sum of their numbers' hashes
    uint64_t hash;
    bool smaller_may_do; // smaller sets may be better
};
struct multi_node_attempts {
    struct disruption *disruption;
    struct price_bound bound;
    uint32_t effort; // candidates simulated so far
    // Limits: for all candidates, and for those whose new nodes may be packed.
    uint32_t effort_max, packed_max;
    VECTOR(struct tried_set) tried;
    struct consolidation_split best;
    // The last candidates that only their scores kept from going together (DIS-206).
    struct disruption_candidate **rejected;
    uint32_t rejected_count;
    int64_t rejected_saving;
};
// For up to `most` candidates; lives as long as `arena`. The caller frees the rest.
struct multi_node_attempts multi_node_attempts_create(struct disruption *disruption,
                                                      struct arena *arena, uint32_t most);
void multi_node_attempts_free(struct multi_node_attempts *attempts);
// Tries the whole set, its first half, its first quarter, and so on, once each.
void multi_node_attempt_prefixes(struct multi_node_attempts *attempts,
                                 struct disruption_candidate *const *taken, uint32_t count);
