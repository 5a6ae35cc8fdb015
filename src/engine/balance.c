// Scores of moves in pools with policy Balanced (consolidation.h; DIS-190 to DIS-197, DIS-701).
#include <math.h>

#include "base/text.h"
#include "engine/consolidation.h"

#define THRESHOLD_K 2 // DIS-191: approved iff the score is at least 1/k

static bool is_balanced(const struct disruption_pool *pool)
{
    return text_equal(pool->pool->spec.disruption.consolidation_policy, "Balanced");
}

// Costs are sums of multiples of 2^-27 (DIS-55), so that this is exact.
static __int128 fixed_cost(double cost)
{
    return (__int128)llround(cost * 134217728.0);
}

// savings / total price against cost / total cost, without dividing (DIS-192).
static bool is_approved(const struct disruption_pool *pool, int64_t savings, double cost)
{
    if (savings <= 0 || pool->balance_price <= 0 || pool->balance_cost <= 0)
        return false;
    return (__int128)savings * fixed_cost(pool->balance_cost) * THRESHOLD_K >=
           fixed_cost(cost) * pool->balance_price;
}

// DIS-194: savings in proportion to the price of the pool's candidates.
static int64_t share_of(struct disruption_candidate *const *candidates, uint32_t count,
                        const struct disruption_pool *pool, int64_t savings)
{
    __int128 own = 0, all = 0;
    for (uint32_t i = 0; i < count; i++) {
        all += candidates[i]->price;
        own += candidates[i]->pool == pool ? candidates[i]->price : 0;
    }
    return all > 0 ? (int64_t)((__int128)savings * own / all) : savings;
}

bool balance_approves(struct disruption_candidate *const *candidates, uint32_t count,
                      int64_t savings)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct disruption_pool *pool = candidates[i]->pool;
        if (!is_balanced(pool))
            continue;
        double cost = 0;
        for (uint32_t j = 0; j < count; j++)
            cost += candidates[j]->pool == pool ? candidates[j]->cost : 0;
        if (!is_approved(pool, share_of(candidates, count, pool, savings), cost))
            return false;
    }
    return true;
}

bool balance_may_approve(const struct disruption_candidate *candidate)
{
    const struct disruption_pool *pool = candidate->pool;
    return !is_balanced(pool) || pool->balance_price <= 0 ||
           is_approved(pool, candidate->price, candidate->cost);
}
