// Simulated removal: where the pods go if some candidates go (DIS-230 to DIS-252).
#pragma once

#include "engine/disruption/disruption.h"

struct removal_simulation {
    struct arena *arena;
    struct pass *pass;     // finished
    struct claim **claims; // that the move needs, as they would be launched
    uint32_t claims_count;
    uint32_t nodes_needed; // how many nodes it takes to carry it out: at least claims_count
    const struct pod *unschedulable; // has no place and needs one: the move is impossible (DIS-250)
    const struct state_node *unschedulable_on;      // the node that it is on; NULL: none
    struct disruption_candidate *const *candidates; // borrowed
    uint32_t candidates_count;
    const char **claim_errors; // by pod of the queue: the error of a claim that cannot be made, for
                               // want of minValues among its cheapest types; NULL: there is none
    bool consolidation;
    bool no_pool; // nothing was asked, for no NodePool is there to be asked (DIS-234)
};
// `consolidation`: quiet nodes are left alone (DIS-238). The caller frees the simulation.
struct removal_simulation removal_simulate(struct disruption *disruption,
                                           struct disruption_candidate *const *candidates,
                                           uint32_t count, bool consolidation);
// The same while the nodes of the places in `beside`, by index in the problem's, are replaced by
// new ones with the same pods: they take no others. NULL: there are none.
struct removal_simulation removal_simulate_beside(struct disruption *disruption,
                                                  struct disruption_candidate *const *candidates,
                                                  uint32_t count, bool consolidation,
                                                  const struct bitset *beside);
// The same for consolidation with the pods of the candidates placed as kube-scheduler will place
// them when they are evicted in queue order: on the nodes that it scores highest, not on the first
// that do. `beside` as above.
struct removal_simulation removal_simulate_scheduled(struct disruption *disruption,
                                                     struct disruption_candidate *const *candidates,
                                                     uint32_t count, const struct bitset *beside);
// The same, beside nothing, with the pods that are evicted together in another order: `mixture` is
// up to MIXTURES, 0 the order in which they leave.
struct removal_simulation removal_simulate_mixed(struct disruption *disruption,
                                                 struct disruption_candidate *const *candidates,
                                                 uint32_t count, uint32_t mixture);
void removal_free(struct removal_simulation *removal);
// The same if no candidate goes; worked out once.
const struct removal_baseline *removal_baseline_of(struct disruption *disruption);
// New nodes as cheap as the packing policy can make them, by default also more and smaller ones.
// The outcome may be another one, or impossible.
void removal_pack(struct disruption *disruption, struct removal_simulation *removal);
// Whether the move can be made at all.
static inline bool removal_is_possible(const struct removal_simulation *removal)
{
    return removal->unschedulable == NULL && !removal->no_pool;
}
// DIS-251, as an event tells it; NULL: the simulation is possible. Works out the errors, so ask
// once.
const char *removal_refusal(struct disruption *disruption,
                            const struct removal_simulation *removal);

// The cheapest types of a claim, at most `most` of them, in the order of `set`'s prices; drops the
// rows of all others.
void keep_cheapest_types(struct problem *problem, struct type_table *table, uint32_t set,
                         uint32_t most, struct bitset rows);
uint32_t count_types(const struct type_table *table, struct bitset rows);
