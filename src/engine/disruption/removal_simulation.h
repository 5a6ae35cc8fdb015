// Simulated removal: where the pods go if some candidates are removed (DIS-230 to DIS-252).
#pragma once

#include "engine/disruption/disruption.h"

struct removal_simulation {
    struct arena *arena;
    struct pass *pass;     // finished
    struct claim **claims; // needed by the move, as they would be launched
    uint32_t claims_count;
    uint32_t nodes_needed; // number of nodes that the move needs: at least claims_count
    // An unplaced pod that needs a place: the move is impossible (DIS-250).
    const struct pod *unschedulable;
    const struct state_node *unschedulable_on;      // its node; NULL: none
    struct disruption_candidate *const *candidates; // borrowed
    uint32_t candidates_count;
    const char **claim_errors; // by pod of the queue: the error of an impossible claim whose
                               // cheapest types lack minValues; NULL: none
    bool consolidation;
    bool no_pool; // not simulated, because there is no NodePool (DIS-234)
};
// `consolidation`: quiet nodes take no pods (DIS-238). The caller frees the simulation.
struct removal_simulation removal_simulate(struct disruption *disruption,
                                           struct disruption_candidate *const *candidates,
                                           uint32_t count, bool consolidation);
// The same, while new nodes with the same pods replace the nodes in `beside` (by index in the
// problem): these take no other pods. NULL: none.
struct removal_simulation removal_simulate_beside(struct disruption *disruption,
                                                  struct disruption_candidate *const *candidates,
                                                  uint32_t count, bool consolidation,
                                                  const struct bitset *beside);
// The same for consolidation, with the candidates' pods placed as kube-scheduler will place them
// after eviction in queue order: on the node of highest score, not on the first that fits. `beside`
// as above.
struct removal_simulation removal_simulate_scheduled(struct disruption *disruption,
                                                     struct disruption_candidate *const *candidates,
                                                     uint32_t count, const struct bitset *beside);
// The same without `beside`, with pods that are evicted together in another order: `mixture` is at
// most MIXTURES; 0 is the order of eviction. `guided`: the pods are led to their places
// (engine/placement/drain_guidance.h).
struct removal_simulation removal_simulate_mixed(struct disruption *disruption,
                                                 struct disruption_candidate *const *candidates,
                                                 uint32_t count, uint32_t mixture, bool guided);
// True if the candidates' pods all have a place on nodes that stay, and no other pod loses its own
// by that. Ends at the first that has none, so it is the cheapest answer.
bool removal_fits(struct disruption *disruption, struct disruption_candidate *const *candidates,
                  uint32_t count, bool guided);
void removal_free(struct removal_simulation *removal);
// The simulation without removals; computed once.
const struct removal_baseline *removal_baseline_of(struct disruption *disruption);
// Packs the new nodes by the packing policy, for the lowest price; by default this may give more
// and smaller nodes. The result may differ or be impossible.
void removal_pack(struct disruption *disruption, struct removal_simulation *removal);
// True if the move is possible.
static inline bool removal_is_possible(const struct removal_simulation *removal)
{
    return removal->unschedulable == NULL && !removal->no_pool;
}
// True if the move is possible and no pod needs a new node for it.
static inline bool removal_needs_no_node(const struct removal_simulation *removal)
{
    return removal_is_possible(removal) && removal->nodes_needed == 0;
}
// DIS-251, the event's text; NULL: the simulation is possible. Expensive: call once.
const char *removal_refusal(struct disruption *disruption,
                            const struct removal_simulation *removal);

// Keeps the `most` cheapest types of a claim, by the prices of `set`; drops the rows of all others.
void keep_cheapest_types(struct problem *problem, struct type_table *table, uint32_t set,
                         uint32_t most, struct bitset rows);
uint32_t count_types(const struct type_table *table, struct bitset rows);
