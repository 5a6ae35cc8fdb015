// Instance types of the candidates' NodePools, and prices of candidates (DIS-59).
#pragma once

#include "base/map.h"
#include "engine/disruption/disruption_pool.h"
#include "engine/disruption/strategy.h"
#include "engine/problem/problem.h"
#include "model/snapshot/snapshot.h"

struct spot_price_list;
struct state_node;

struct candidate_prices {
    struct arena *arena;
    const struct snapshot *snapshot;
    const struct disruption_strategy *strategy;
    struct problem *problem;            // its overlaid prices apply; may be NULL
    const struct spot_price_list *spot; // recent (DIS-750); may be NULL
    struct map *types;                  // struct instance_type by "catalog index/name"
    struct price_terms terms;
};
// The caller fills everything but `types` and `terms`; free with candidate_prices_free().
void candidate_prices_begin(struct candidate_prices *prices);
void candidate_prices_free(struct candidate_prices *prices);
// Sets the pool's catalog and whether that names the pool.
void candidate_prices_find_types(const struct candidate_prices *prices,
                                 struct disruption_pool *pool);
// NULL: unknown to the pool.
const struct instance_type *candidate_prices_type(const struct candidate_prices *prices,
                                                  const struct disruption_pool *pool,
                                                  const char *name);
// DIS-59, DIS-744: the list price, nano-USD an hour. False: unknown; the price is then 0.
bool candidate_prices_price(const struct candidate_prices *prices, const struct state_node *state,
                            const struct node_pool *pool, const struct instance_type *type,
                            int64_t *price);
// The same with what the node costs beside, but NODE_COST: surplus credits by the requests of its
// pods (effective_price.h).
bool candidate_prices_effective(const struct candidate_prices *prices,
                                const struct state_node *state, const struct node_pool *pool,
                                const struct instance_type *type, int64_t *price);
