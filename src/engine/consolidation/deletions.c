#include "engine/consolidation/deletions.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/quantity.h"
#include "engine/consolidation/balanced_policy.h"
#include "engine/consolidation/consolidation.h"
#include "engine/consolidation/consolidation_split.h"
#include "engine/consolidation/spare_capacity.h"
#include "engine/disruption/evictions.h"
#include "engine/disruption/removal_misfits.h"
#include "engine/placement/drain_guidance.h"
#include "engine/problem/problem.h"

#define SET_MAX      100 // nodes of one command: as many as one validation covers
#define CHUNK_FIRST  16  // candidates tried together at first
#define MISSES_MAX   60  // candidates that do not fit alone, in one order
#define ORDERS       2   // of the candidates
#define SPREAD       30  // per cent by which an order differs
#define PART         8   // per cent of the best set that a round chooses anew
#define ROUNDS_VAIN  100 // without a better set, after which no other round begins
#define NEAR         50  // a round may begin with a set that is worth less by such a part
#define CHUNK_AGAIN  4   // as CHUNK_FIRST and MISSES_MAX, for a round
#define MISSES_AGAIN 24
#define EFFORT_MAX   60000    // nodes and pods simulated for an order
#define WORK_MAX     80000000 // times the cluster's nodes, after which no order or round begins
#define LUCK_SHARE   4        // a part of the set

struct deletion_option {
    struct disruption_candidate *candidate;
    struct capacity_need need; // the cost varies by the order
    int64_t cost;              // saved by its removal
    uint32_t merit;            // position in the order of DIS-61, DIS-700
};

struct deletion_search {
    struct disruption *disruption;
    struct arena *arena;
    struct evictions evictions;
    struct deletion_option *options; // in the order of the search
    uint32_t count;
    struct disruption_candidate **set;
    uint32_t set_count;
    uint32_t effort, effort_end, misses, misses_max;
    bool guided; // pods are led to their places (drain_guidance.h)
};

static int by_density(const void *a, const void *b)
{
    const struct deletion_option *x = a, *y = b;
    int order = capacity_needs_compare(&x->need, &y->need);
    return order != 0 ? order : x->merit < y->merit ? -1 : x->merit > y->merit;
}

static int by_cost(const void *a, const void *b)
{
    const struct deletion_option *x = a, *y = b;
    if (x->need.cost != y->need.cost)
        return x->need.cost > y->need.cost ? -1 : 1;
    return x->merit < y->merit ? -1 : x->merit > y->merit;
}

// True if the saving pays for the evictions and the pool's policy approves.
static bool is_worth_it(struct disruption *disruption, struct disruption_candidate *candidate)
{
    struct payback payback = payback_of(disruption, &candidate, 1, NULL, 0, candidate->price);
    return payback_reached(&payback) && balanced_policy_approves(&candidate, 1, candidate->price);
}

static void rank(struct deletion_search *search, const candidate_list *wanted,
                 const struct spare_capacity *spare)
{
    search->options =
        arena_allocate_array(search->arena, wanted->count + 1, sizeof *search->options);
    for (uint32_t i = 0; i < wanted->count; i++) {
        struct disruption_candidate *candidate = wanted->items[i];
        struct capacity_need need = spare_capacity_need(spare, candidate);
        if (capacity_need_fits(&need) && balanced_policy_may_approve(candidate) &&
            is_worth_it(search->disruption, candidate))
            search->options[search->count++] =
                (struct deletion_option){candidate, need, need.cost, i};
    }
}

// The first order is by density; the others are near it, each another one. Every other goes by the
// cost alone: where budgets allow no more nodes, the room that they need does not matter.
static void sort_options(struct deletion_search *search, uint32_t order)
{
    for (uint32_t i = 0; i < search->count; i++) {
        struct deletion_option *option = &search->options[i];
        int64_t percent =
            order == 0 ? 0 : (int64_t)(hash_mix(order, option->merit) % (2 * SPREAD + 1)) - SPREAD;
        option->need.cost = quantity_add(option->cost, option->cost / 100 * percent);
    }
    if (search->count > 1)
        qsort(search->options, search->count, sizeof *search->options,
              order % 2 == 1 ? by_cost : by_density);
}

static void count_effort(struct deletion_search *search)
{
    for (uint32_t i = 0; i < search->set_count; i++)
        search->effort += 1 + search->set[i]->reschedulable;
}

// True if every pod of the set fits nodes that stay.
static bool fits(struct deletion_search *search)
{
    assert(search->set_count > 0);
    count_effort(search);
    return removal_fits(search->disruption, search->set, search->set_count, search->guided);
}

static uint32_t position_of(const struct deletion_search *search, const struct state_node *state)
{
    for (uint32_t i = 0; i < search->set_count; i++)
        if (search->set[i]->state == state)
            return i;
    return NONE;
}

static bool may_take(struct deletion_search *search, struct disruption_candidate *candidate)
{
    if (candidate->pool->remaining == 0 || position_of(search, candidate->state) != NONE ||
        !evictions_take(&search->evictions, candidate, false))
        return false;
    candidate->pool->remaining--;
    return true;
}

static void drop(struct deletion_search *search, uint32_t index)
{
    assert(index < search->set_count);
    struct disruption_candidate *candidate = search->set[index];
    memmove(&search->set[index], &search->set[index + 1],
            (--search->set_count - index) * sizeof(struct disruption_candidate *));
    candidate->pool->remaining++;
    assert(candidate->pool->remaining <= candidate->pool->allowed);
    evictions_give_back(&search->evictions, candidate, false);
}

static void drop_last(struct deletion_search *search)
{
    assert(search->set_count > 0);
    drop(search, search->set_count - 1);
}

static bool may_go_on(const struct deletion_search *search)
{
    return search->effort < search->effort_end && search->misses < search->misses_max;
}

// Adds the options from `first` on that fit with the set, as many of `count` as possible. If not
// all fit, it tries halves.
static void add_chunk(struct deletion_search *search, const struct deletion_option *options,
                      uint32_t count)
{
    assert(count > 0);
    uint32_t before = search->set_count;
    for (uint32_t i = 0; i < count && search->set_count < SET_MAX; i++)
        if (may_take(search, options[i].candidate))
            search->set[search->set_count++] = options[i].candidate;
    assert(search->set_count <= SET_MAX);
    if (search->set_count == before || fits(search))
        return;
    while (search->set_count > before)
        drop_last(search);
    search->misses += count == 1;
    if (count == 1 || !may_go_on(search))
        return;
    add_chunk(search, options, count / 2);
    add_chunk(search, options + count / 2, count - count / 2);
}

static void fill_set(struct deletion_search *search, uint32_t chunk)
{
    for (uint32_t at = 0; at < search->count && search->set_count < SET_MAX && may_go_on(search);) {
        uint32_t count = search->count - at < chunk ? search->count - at : chunk;
        uint32_t before = search->set_count;
        add_chunk(search, &search->options[at], count);
        at += count;
        assert(at <= search->count);
        chunk = search->set_count - before == count ? 2 * chunk
                : search->set_count == before       ? (chunk + 1) / 2
                                                    : chunk;
    }
}

// The member of the set that does not fit in that draw; NONE: all fit.
static uint32_t find_misfit(struct deletion_search *search, uint32_t mixture)
{
    struct disruption *disruption = search->disruption;
    count_effort(search);
    struct removal_simulation removal =
        removal_simulate_mixed(disruption, search->set, search->set_count, mixture, search->guided);
    uint32_t misfit = removal_misfit(disruption, &removal);
    removal_free(&removal);
    return misfit;
}

// kube-scheduler draws lots among equal nodes: the set must fit whatever it draws. What does not
// fit stays, up to a part of the set.
static void confirm_by_shrinking(struct deletion_search *search)
{
    uint32_t found = search->set_count, least = found - (found + LUCK_SHARE - 1) / LUCK_SHARE;
    assert(least <= found);
    for (uint32_t mixture = 1, passed = 0; passed < MIXTURES && search->set_count > least;) {
        uint32_t misfit = find_misfit(search, mixture);
        if (misfit != NONE)
            drop(search, misfit);
        passed = misfit != NONE ? 0 : passed + 1;
        mixture = mixture % MIXTURES + 1;
    }
    while (search->set_count > 0 && search->set_count < found && !fits(search))
        drop_last(search);
}

static void add_command(struct deletion_search *search)
{
    struct disruption *disruption = search->disruption;
    assert(search->set_count > 0 && search->set_count <= SET_MAX);
    struct consolidation_split split = {
        .removal =
            removal_simulate_mixed(disruption, search->set, search->set_count, 0, search->guided)};
    struct split_part part = {.candidates = search->set,
                              .count = search->set_count,
                              .savings = candidates_price(search->set, search->set_count)};
    split_part_command(disruption, &split, &part);
    split_free(&split);
}

struct found_set {
    struct disruption_candidate **items;
    uint32_t count;
    int64_t worth; // the cost saved
};

static struct found_set found_set_create(const struct deletion_search *search)
{
    return (struct found_set){.items = arena_allocate_array(search->arena, SET_MAX + 1,
                                                            sizeof(struct disruption_candidate *))};
}

static int64_t worth_of(const struct deletion_search *search)
{
    return search->set_count > 0
               ? candidates_cost(search->disruption, search->set, search->set_count)
               : -1;
}

static void keep(const struct deletion_search *search, struct found_set *found)
{
    memcpy(found->items, search->set, search->set_count * sizeof *found->items);
    found->count = search->set_count;
    found->worth = worth_of(search);
}

static void keep_better(struct deletion_search *search, struct found_set *best)
{
    if (worth_of(search) > best->worth) // before it shrinks
        confirm_by_shrinking(search);
    if (worth_of(search) > best->worth)
        keep(search, best);
}

static void drop_all(struct deletion_search *search)
{
    while (search->set_count > 0)
        drop_last(search);
}

static void take_all(struct deletion_search *search, const struct found_set *found)
{
    drop_all(search);
    for (uint32_t i = 0; i < found->count; i++)
        if (may_take(search, found->items[i]))
            search->set[search->set_count++] = found->items[i];
    assert(search->set_count == found->count);
}

static void fill_in_order(struct deletion_search *search, uint32_t order, uint32_t chunk,
                          uint32_t misses_max)
{
    sort_options(search, order);
    search->effort_end = search->effort + EFFORT_MAX;
    search->misses = 0;
    search->misses_max = misses_max;
    fill_set(search, chunk);
}

static bool may_begin(const struct deletion_search *search)
{
    return (uint64_t)search->effort * search->disruption->problem->nodes.count < WORK_MAX;
}

static void drop_part(struct deletion_search *search, uint32_t round)
{
    const struct state_node *nodes = search->disruption->problem->nodes.items;
    for (uint32_t i = search->set_count; i-- > 0;)
        if (hash_mix(round, (uint64_t)(search->set[i]->state - nodes)) % 100 < PART)
            drop(search, i);
}

// Chooses a part of the set anew, again and again. The next round begins with what came of the last
// if that is worth nearly as much as the best: the way to a better set may lead over it.
static void improve(struct deletion_search *search, struct found_set *best)
{
    struct found_set last = found_set_create(search);
    take_all(search, best);
    keep(search, &last);
    for (uint32_t round = 1, vain = 0; vain < ROUNDS_VAIN && may_begin(search); round++, vain++) {
        int64_t before = best->worth;
        take_all(search, &last);
        drop_part(search, round);
        fill_in_order(search, ORDERS + round, CHUNK_AGAIN, MISSES_AGAIN);
        keep_better(search, best);
        if (best->worth > before)
            vain = 0;
        if (worth_of(search) >= best->worth - best->worth / NEAR)
            keep(search, &last);
    }
}

// What fits depends on the order in which nodes are added: several orders, then the best improved.
static void find_best_set(struct deletion_search *search)
{
    struct found_set best = found_set_create(search);
    for (uint32_t order = 0; order < ORDERS && may_begin(search); order++) {
        fill_in_order(search, order, CHUNK_FIRST, MISSES_MAX);
        keep_better(search, &best);
        drop_all(search);
        if (best.count == 0) // in no other order more would fit
            return;
    }
    improve(search, &best);
    take_all(search, &best);
}

// True if the pods of the set are worth the taints that lead them.
static bool is_worth_leading(const struct deletion_search *search)
{
    const struct state_nodes *nodes = &search->disruption->problem->nodes;
    uint32_t pods = 0, tainted = 0;
    for (uint32_t i = 0; i < search->set_count; i++)
        list_for_each (pod, &search->set[i]->state->pods)
            pods += pod_is_led(*pod);
    for (uint32_t i = 0; i < nodes->count; i++)
        tainted += node_can_get_taint(&nodes->items[i]);
    tainted -= search->set_count;
    return pods >= GUIDED_PODS && tainted <= GUIDED_NODES_MAX &&
           tainted <= GUIDED_NODES_A_POD * pods;
}

static bool may_lead(const struct disruption *disruption)
{
    return disruption->strategy->guides_drains && disruption->problem->settings->drain_guidance &&
           !disruption->inputs->unguided;
}

bool deletions_decide(struct disruption *disruption, const candidate_list *wanted, uint32_t least)
{
    CLEANUP_ARENA struct arena *arena = arena_create(65536);
    struct deletion_search search = {
        .disruption = disruption, .arena = arena, .evictions = evictions_create(disruption)};
    struct spare_capacity spare = spare_capacity_find(disruption, arena);
    rank(&search, wanted, &spare);
    search.set = arena_allocate_array(arena, SET_MAX + 1, sizeof(struct disruption_candidate *));
    search.guided = may_lead(disruption);
    find_best_set(&search);
    if (search.guided && search.set_count > 0 && !is_worth_leading(&search)) {
        drop_all(&search);
        search.guided = false;
        search.effort = 0;
        find_best_set(&search);
    }
    if (search.set_count == 0 || search.set_count < least) {
        drop_all(&search);
        return false;
    }
    add_command(&search);
    return true;
}
