#include "engine/consolidation/payback.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "base/quantity.h"
#include "engine/placement/claim_price.h"
#include "engine/problem/state_node.h"
#include "engine/templates/node_cost.h"

#define OVERLAP_USUAL (2 * MINUTE) // boot and drain, until observed
#define AGES_MIN      5            // fewer nodes say nothing about typical lives
#define LIFE_MIN      HOUR         // lower bound of a life: a young cluster has only young nodes

// --- lifetimes of nodes --------------------------------------------------------------------------

static int compare_ages(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

// A random node is in the middle of its life, so the median age is half the median life. In a pool
// hardly older than the horizon, no node can be old.
int64_t payback_typical_life(int64_t *ages, uint32_t count, int64_t pool_age, int64_t horizon)
{
    if (count < AGES_MIN || pool_age < quantity_multiply(2, horizon))
        return INT64_MAX;
    qsort(ages, count, sizeof *ages, compare_ages);
    int64_t life = quantity_multiply(2, ages[count / 2]);
    return life > LIFE_MIN ? life : LIFE_MIN;
}

static int64_t age_of(const struct disruption *disruption, int64_t creation)
{
    return ns_subtract(disruption->problem->snapshot->time, creation);
}

static int64_t life_in_pool(struct disruption *disruption, const struct disruption_pool *pool)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    const struct state_nodes *nodes = &disruption->problem->nodes;
    int64_t *ages = arena_allocate_array(scratch, nodes->count + 1, sizeof *ages);
    uint32_t count = 0;
    for (uint32_t i = 0; i < nodes->count; i++) {
        const struct state_node *state = &nodes->items[i];
        if (state->claim != NULL && state->claim->meta.creation_timestamp != 0 &&
            text_equal(state->node_pool, pool->pool->meta.name))
            ages[count++] = age_of(disruption, state->claim->meta.creation_timestamp);
    }
    assert(count <= nodes->count);
    int64_t created = pool->pool->meta.creation_timestamp;
    return payback_typical_life(ages, count, created != 0 ? age_of(disruption, created) : 0,
                                disruption->problem->settings->consolidation_horizon);
}

static int64_t typical_life(struct disruption *disruption, const struct disruption_pool *pool)
{
    if (disruption->lives == NULL)
        disruption->lives = arena_allocate_array(
            disruption->arena, disruption->table.pools.count + 1, sizeof *disruption->lives);
    int64_t *life = &disruption->lives[pool - disruption->table.pools.items];
    assert(*life >= 0);
    if (*life == 0)
        *life = life_in_pool(disruption, pool);
    return *life;
}

static int64_t shorter(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t time_left(struct disruption *disruption,
                         const struct disruption_candidate *candidate)
{
    const struct duration *expires = &candidate->claim->spec.expire_after;
    int64_t time = typical_life(disruption, candidate->pool);
    int64_t created = candidate->claim->meta.creation_timestamp;
    if (expires->text == NULL || expires->nanoseconds == DURATION_NEVER || created == 0)
        return time;
    // A node past its expected life evidently outlives it.
    int64_t left = ns_subtract(expires->nanoseconds, age_of(disruption, created));
    return left > 0 ? shorter(time, left) : time;
}

static int64_t longest_life(const struct claim *claim)
{
    const struct duration *expires = &claim->template->pool->spec.template.spec.expire_after;
    bool never = expires->text == NULL || expires->nanoseconds == DURATION_NEVER;
    return never ? INT64_MAX : expires->nanoseconds;
}

// --- the move ------------------------------------------------------------------------------------

// Each candidate's share of the saving counts for its own time; shares are by price.
static int64_t mean_time(struct disruption *disruption,
                         struct disruption_candidate *const *candidates, uint32_t count,
                         int64_t bound)
{
    __int128 weighted = 0, prices = 0;
    int64_t least = bound;
    for (uint32_t i = 0; i < count; i++) {
        int64_t time = shorter(bound, time_left(disruption, candidates[i]));
        least = shorter(least, time);
        weighted += (__int128)candidates[i]->price * time;
        prices += candidates[i]->price;
    }
    return prices > 0 ? (int64_t)(weighted / prices) : least;
}

static int64_t cost_of(const struct disruption *disruption,
                       struct disruption_candidate *const *candidates, uint32_t count,
                       uint32_t launches)
{
    int64_t overlap = disruption->inputs->overlap_ns;
    double evictions = 0;
    for (uint32_t i = 0; i < count; i++)
        evictions += candidates[i]->cost - 1.0; // DIS-56
    assert(evictions >= 0);                     // each candidate's cost starts at 1
    int64_t cost =
        (int64_t)llround(disruption->problem->settings->disruption_cost_per_pod * 1e9 * evictions);
    if (launches == 0)
        return cost;
    cost = quantity_add(
        cost, (int64_t)llround(disruption->problem->settings->launch_cost * 1e9 * launches));
    __int128 twice_paid = (__int128)candidates_price(candidates, count) *
                          (overlap > 0 ? overlap : OVERLAP_USUAL) / HOUR;
    return quantity_add(cost, (int64_t)twice_paid);
}

// Added concentration on one node counts against a move; reduced concentration earns nothing.
static int64_t counted_saving(struct disruption *disruption,
                              struct disruption_candidate *const *candidates, uint32_t count,
                              struct claim *const *claims, uint32_t claims_count, int64_t saving)
{
    struct problem *problem = disruption->problem;
    struct node_costs old = {0}, new = {0};
    int64_t cost = problem->catalog.node_cost;
    for (uint32_t i = 0; i < count; i++)
        node_costs_add(&old, candidates[i]->price);
    for (uint32_t i = 0; i < claims_count && cost > 0; i++) {
        int64_t price = claim_expected_price(problem, claims[i]);
        node_costs_add(&new, price != INT64_MAX ? price : 0);
    }
    int64_t more = node_costs_concentration(&new, cost) - node_costs_concentration(&old, cost);
    int64_t fewer = (int64_t)count - (int64_t)claims_count;
    saving = quantity_add(saving, quantity_multiply(cost, fewer));
    return quantity_subtract(saving, more > 0 ? more : 0);
}

struct payback payback_of(struct disruption *disruption,
                          struct disruption_candidate *const *candidates, uint32_t count,
                          struct claim *const *claims, uint32_t claims_count, int64_t saving)
{
    assert(count > 0);
    int64_t horizon = disruption->problem->settings->consolidation_horizon;
    // Unknown prices are not compared, but a deletion always saves something (DIS-743).
    bool known = claims_count > 0 || candidates_price(candidates, count) > 0;
    int64_t counted = counted_saving(disruption, candidates, count, claims, claims_count, saving);
    if (horizon == 0 || !known)
        return (struct payback){.saving = saving, .counted = counted, .time = HOUR};
    for (uint32_t i = 0; i < claims_count; i++)
        horizon = shorter(horizon, longest_life(claims[i]));
    return (struct payback){.saving = saving,
                            .counted = counted,
                            .cost = cost_of(disruption, candidates, count, claims_count),
                            .time = mean_time(disruption, candidates, count, horizon),
                            .small = claims_count > 0 &&
                                     saving < candidates_price(candidates, count) / 100 *
                                                  disruption->least_saving_percent,
                            .asked = true};
}

static __int128 earned(const struct payback *payback, int64_t saving)
{
    return (__int128)saving * payback->time / HOUR;
}

static int64_t lower_saving(const struct payback *payback)
{
    return payback->counted < payback->saving ? payback->counted : payback->saving;
}

bool payback_reached(const struct payback *payback)
{
    if (payback->counted <= 0 && payback->saving > 0)
        return false;
    return !payback->asked ||
           (!payback->small && earned(payback, lower_saving(payback)) >= payback->cost);
}

int64_t payback_value(const struct payback *payback)
{
    return (int64_t)(earned(payback, payback->counted) - payback->cost);
}

// "8.3", "4", "0.25", "120".
static const char *hours(struct arena *arena, double nanoseconds)
{
    double value = nanoseconds / (double)HOUR;
    return value < 10 ? arena_format(arena, "%.2g", value) : arena_format(arena, "%.0f", value);
}

const char *payback_refusal(struct arena *arena, const struct payback *payback)
{
    if (payback->small)
        return "The nodes together cost hardly more than they have to";
    const char *cost = arena_format(arena, "$%.3g", price_to_double(payback->cost));
    int64_t saving = lower_saving(payback);
    const char *with = saving < payback->saving ? " with what nodes cost" : "";
    if (saving <= 0)
        return arena_format(arena, "The move would save nothing%s and cost %s", with, cost);
    double needed = (double)payback->cost / (double)saving * (double)HOUR;
    return arena_format(arena,
                        "The move would earn back its cost in %s h > %s h (saves $%.3g an hour%s, "
                        "costs %s)",
                        hours(arena, needed), hours(arena, (double)payback->time),
                        price_to_double(saving), with, cost);
}
