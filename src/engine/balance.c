// Scores of moves in pools with policy Balanced (consolidation.h; DIS-190 to DIS-197, DIS-701).
#include <math.h>
#include <string.h>

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

static double cost_in(struct disruption_candidate *const *candidates, uint32_t count,
                      const struct disruption_pool *pool)
{
    double cost = 0;
    for (uint32_t i = 0; i < count; i++)
        cost += candidates[i]->pool == pool ? candidates[i]->cost : 0;
    return cost;
}

bool balance_approves(struct disruption_candidate *const *candidates, uint32_t count,
                      int64_t savings)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct disruption_pool *pool = candidates[i]->pool;
        if (!is_balanced(pool))
            continue;
        if (!is_approved(pool, share_of(candidates, count, pool, savings),
                         cost_in(candidates, count, pool)))
            return false;
    }
    return true;
}

static struct plan_score score_of(const struct disruption_pool *pool, int64_t savings, double cost)
{
    struct plan_score score = {.pool = pool->pool, .is_balanced = is_balanced(pool)};
    score.approved = !score.is_balanced || is_approved(pool, savings, cost);
    if (!score.is_balanced || savings <= 0 || pool->balance_price <= 0 || pool->balance_cost <= 0)
        return score;
    score.savings = (double)savings / (double)pool->balance_price;
    score.disruption = cost / pool->balance_cost;
    score.score = score.disruption > 0 ? score.savings / score.disruption : (double)INFINITY;
    return score;
}

static void add_score(struct disruption *disruption, struct plan_score score)
{
    struct plan *plan = disruption->plan;
    if (plan->scores.count == disruption->scores_capacity) {
        disruption->scores_capacity = 2 * disruption->scores_capacity + 16;
        struct plan_score *larger =
            arena_allocate_array(plan->arena, disruption->scores_capacity, sizeof *larger);
        if (plan->scores.count > 0)
            memcpy(larger, plan->scores.items, plan->scores.count * sizeof *larger);
        plan->scores.items = larger;
    }
    plan->scores.items[plan->scores.count++] = score;
}

void balance_note(struct disruption *disruption, struct disruption_candidate *const *candidates,
                  uint32_t count, int64_t savings)
{
    bool approved = balance_approves(candidates, count, savings);
    for (uint32_t i = 0; i < count; i++) {
        const struct disruption_pool *pool = candidates[i]->pool;
        bool repeated = false;
        for (uint32_t j = 0; j < i && !repeated; j++)
            repeated = candidates[j]->pool == pool;
        if (repeated)
            continue;
        struct plan_score score = score_of(pool, share_of(candidates, count, pool, savings),
                                           cost_in(candidates, count, pool));
        score.node = count == 1 ? candidates[0]->node : NULL;
        score.move_approved = approved;
        add_score(disruption, score);
    }
}

bool balance_may_approve(const struct disruption_candidate *candidate)
{
    const struct disruption_pool *pool = candidate->pool;
    return !is_balanced(pool) || pool->balance_price <= 0 ||
           is_approved(pool, candidate->price, candidate->cost);
}
