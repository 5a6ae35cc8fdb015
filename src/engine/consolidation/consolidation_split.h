// Several candidates that go at the same moment, and the parts of that which have nothing to do
// with each other (DIS-745, DIS-746): candidates whose pods would share new nodes, with these
// nodes, and every candidate whose pods find room on nodes that are there. One simulation has
// placed all pods, so that no two parts rely on the same room.
#pragma once

#include "engine/consolidation/payback.h"
#include "engine/consolidation/replacement_price_bound.h"
#include "engine/disruption/removal_simulation.h"

struct split_replacement {
    struct claim *claim; // narrowed to what is cheap enough
    uint32_t priced;     // as in struct move
};
struct split_part {
    struct disruption_candidate **candidates;
    uint32_t count;
    struct split_replacement *replacements; // none: a deletion
    uint32_t replacements_count;
    int64_t savings; // DIS-193
    struct payback payback;
    const char *why, *rule; // why it is not worth it; NULL: it is
    bool low_score;         // that is why: its score is below the threshold (DIS-192)
    bool *own_type; // by candidate: it might as well stay, for some new node would be like it
};
struct consolidation_split {
    struct removal_simulation removal;
    struct split_part *parts; // by their first candidates; none: the pods do not all find places
    uint32_t count;
    uint32_t refused; // parts that are not worth it
    int64_t value;    // of the others, nano-USD (payback.h)
    bool cannot_pay;  // no packing could be worth more than what was asked for
};
// `beside`: places whose nodes are replaced meanwhile, by nodes that are full: no destinations;
// may be NULL. With `costs` new nodes are packed as the policy says, unless nothing could be worth
// more than `floor` then, nano-USD; may be NULL. The caller frees the result.
struct consolidation_split split_simulate(struct disruption *disruption,
                                          struct disruption_candidate *const *candidates,
                                          uint32_t count, const struct bitset *beside,
                                          struct price_bound *bound, int64_t floor);
void split_free(struct consolidation_split *split);
// The candidate whose pod has no place; NULL: it is none's, or all have places.
struct disruption_candidate *split_unschedulable_candidate(
    const struct consolidation_split *split, struct disruption_candidate *const *candidates,
    uint32_t count);
// Adds the part's command to the plan.
void split_part_command(struct disruption *disruption, const struct consolidation_split *split,
                        const struct split_part *part);
