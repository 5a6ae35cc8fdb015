#include "engine/consolidation/balanced_policy.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"

#define THRESHOLD_K 2 // DIS-191: approved iff the score is at least 1/k

static bool is_balanced(const struct disruption_pool *pool)
{
    return text_equal(pool->pool->spec.disruption.consolidation_policy, "Balanced");
}

// Costs are sums of multiples of 2^-27 (DIS-55), so this is exact.
static int64_t fixed_cost(double cost)
{
    return llround(cost * 134217728.0);
}

struct wide { // high * 2^64 + low
    unsigned __int128 high;
    uint64_t low;
};

static struct wide wide_product(unsigned __int128 a, uint64_t b)
{
    unsigned __int128 low = (unsigned __int128)(uint64_t)a * b;
    return (struct wide){(a >> 64) * b + (low >> 64), (uint64_t)low};
}

// DIS-194: a pool's part of the move's savings, in proportion own : all of prices.
struct price_share {
    int64_t own, all;
};

static struct price_share share_of(struct disruption_candidate *const *candidates, uint32_t count,
                                   const struct disruption_pool *pool)
{
    struct price_share share = {0};
    for (uint32_t i = 0; i < count; i++) {
        int64_t price = candidates[i]->price;
        share.all = quantity_add(share.all, price);
        share.own = quantity_add(share.own, candidates[i]->pool == pool ? price : 0);
    }
    return share.all > 0 ? share : (struct price_share){1, 1};
}

// Compares savings / total price with cost / total cost without division (DIS-192).
static bool is_approved(const struct disruption_pool *pool, struct price_share share,
                        int64_t savings, double cost)
{
    if (savings <= 0 || share.own <= 0 || pool->balanced_price <= 0 || pool->balanced_cost <= 0)
        return false;
    assert(cost >= 1.0); // DIS-56
    assert(share.all > 0);
    struct wide gain = wide_product((unsigned __int128)savings * (uint64_t)share.own,
                                    (uint64_t)(fixed_cost(pool->balanced_cost) * THRESHOLD_K));
    struct wide trouble = wide_product((unsigned __int128)fixed_cost(cost) * (uint64_t)share.all,
                                       (uint64_t)pool->balanced_price);
    return gain.high != trouble.high ? gain.high > trouble.high : gain.low >= trouble.low;
}

static double cost_in(struct disruption_candidate *const *candidates, uint32_t count,
                      const struct disruption_pool *pool)
{
    double cost = 0;
    for (uint32_t i = 0; i < count; i++)
        cost += candidates[i]->pool == pool ? candidates[i]->cost : 0;
    return cost;
}

bool balanced_policy_approves(struct disruption_candidate *const *candidates, uint32_t count,
                              int64_t savings)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct disruption_pool *pool = candidates[i]->pool;
        if (!is_balanced(pool))
            continue;
        if (!is_approved(pool, share_of(candidates, count, pool), savings,
                         cost_in(candidates, count, pool)))
            return false;
    }
    return true;
}

static struct plan_score score_of(const struct disruption_pool *pool, struct price_share share,
                                  int64_t savings, double cost)
{
    struct plan_score score = {.pool = pool->pool, .is_balanced = is_balanced(pool)};
    score.approved = !score.is_balanced || is_approved(pool, share, savings, cost);
    if (!score.is_balanced || savings <= 0 || pool->balanced_price <= 0 || pool->balanced_cost <= 0)
        return score;
    double own = (double)savings * (double)share.own / (double)share.all;
    score.savings = own / (double)pool->balanced_price;
    score.disruption = cost / pool->balanced_cost;
    score.score = score.disruption > 0 ? score.savings / score.disruption : (double)INFINITY;
    return score;
}

static void add_score(struct disruption *disruption, struct plan_score score)
{
    struct plan *plan = disruption->plan;
    assert(plan->scores.count <= disruption->scores_capacity);
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

void balanced_policy_note_scores(struct disruption *disruption,
                                 struct disruption_candidate *const *candidates, uint32_t count,
                                 int64_t savings)
{
    assert(count > 0);
    bool approved = balanced_policy_approves(candidates, count, savings);
    for (uint32_t i = 0; i < count; i++) {
        const struct disruption_pool *pool = candidates[i]->pool;
        bool repeated = false;
        for (uint32_t j = 0; j < i && !repeated; j++)
            repeated = candidates[j]->pool == pool;
        if (repeated)
            continue;
        struct plan_score score = score_of(pool, share_of(candidates, count, pool), savings,
                                           cost_in(candidates, count, pool));
        score.node = count == 1 ? candidates[0]->node : NULL;
        score.move_approved = approved;
        add_score(disruption, score);
    }
}

bool balanced_policy_may_approve(const struct disruption_candidate *candidate)
{
    const struct disruption_pool *pool = candidate->pool;
    return !is_balanced(pool) || pool->balanced_price <= 0 ||
           is_approved(pool, (struct price_share){1, 1}, candidate->price, candidate->cost);
}
