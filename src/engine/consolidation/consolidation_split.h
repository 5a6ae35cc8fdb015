// Several candidates removed at once, split into independent parts (DIS-745, DIS-746): candidates
// whose pods share new nodes form a part with these nodes; a candidate whose pods fit existing
// nodes is a part of its own. One simulation places all pods, so no two parts rely on the same
// room.
#pragma once

#include "engine/consolidation/payback.h"
#include "engine/consolidation/replacement_price_bound.h"
#include "engine/disruption/removal_simulation.h"

struct split_replacement {
    struct claim *claim; // narrowed to cheap enough types
    uint32_t priced;     // as in struct consolidation_move
};
struct split_part {
    struct disruption_candidate **candidates;
    uint32_t count;
    struct split_replacement *replacements; // none: the part is a deletion
    uint32_t replacements_count;
    int64_t savings; // DIS-193
    struct payback payback;
    const char *why, *rule; // why it does not pay; NULL: it pays
    bool low_score;         // the reason is a score below the threshold (DIS-192)
    bool *own_type;         // by candidate: a new node would equal it, so it may as well stay
};
struct consolidation_split {
    struct removal_simulation removal;
    struct split_part *parts; // by their first candidates; none: some pods find no place
    uint32_t count;
    uint32_t refused; // parts that do not pay
    int64_t value;    // of the other parts, nano-USD (payback.h)
    bool cannot_pay;  // no packing can be worth more than the caller's floor
};
// `beside`: nodes under replacement, which are full and take no pods; may be NULL. With `costs` new
// nodes are packed by the policy, unless the result cannot exceed `floor`, nano-USD; may be NULL.
// The caller frees the result.
struct consolidation_split split_simulate(struct disruption *disruption,
                                          struct disruption_candidate *const *candidates,
                                          uint32_t count, const struct bitset *beside,
                                          struct price_bound *bound, int64_t floor);
void split_free(struct consolidation_split *split);
// The candidate of the unplaced pod; NULL: all pods have places, or the pod is of no candidate.
struct disruption_candidate *split_unschedulable_candidate(
    const struct consolidation_split *split, struct disruption_candidate *const *candidates,
    uint32_t count);
// Adds the part's command to the plan.
void split_part_command(struct disruption *disruption, const struct consolidation_split *split,
                        const struct split_part *part);
