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
#include "engine/problem/problem.h"

#define SET_MAX     100      // nodes of one command: as many as one validation covers
#define CHUNK_FIRST 16       // candidates tried together at first
#define ORDERS      16       // of the candidates
#define SPREAD      30       // per cent by which an order differs
#define EFFORT_MAX  12000    // nodes simulated for an order
#define WORK_MAX    10000000 // times the cluster's nodes, after which no order begins
#define MISSES_MAX  60       // candidates that do not fit alone
#define LUCK_SHARE  4        // a part of the set

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
    struct deletion_option *options; // sorted by density
    uint32_t count;
    struct disruption_candidate **set;
    uint32_t set_count;
    uint32_t effort, effort_end, misses;
};

static int by_density(const void *a, const void *b)
{
    const struct deletion_option *x = a, *y = b;
    int order = capacity_needs_compare(&x->need, &y->need);
    return order != 0 ? order : x->merit < y->merit ? -1 : x->merit > y->merit;
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

// The first order is by density; the others are near it, each another one.
static void sort_options(struct deletion_search *search, uint32_t order)
{
    for (uint32_t i = 0; i < search->count; i++) {
        struct deletion_option *option = &search->options[i];
        int64_t percent =
            order == 0 ? 0 : (int64_t)(hash_mix(order, option->merit) % (2 * SPREAD + 1)) - SPREAD;
        option->need.cost = quantity_add(option->cost, option->cost / 100 * percent);
    }
    if (search->count > 1)
        qsort(search->options, search->count, sizeof *search->options, by_density);
}

// True if every pod of the set fits nodes that stay.
static bool fits(struct deletion_search *search, uint32_t mixture)
{
    assert(search->set_count > 0);
    search->effort += search->set_count;
    struct removal_simulation removal =
        removal_simulate_mixed(search->disruption, search->set, search->set_count, mixture);
    bool fit = removal_is_possible(&removal) && removal.nodes_needed == 0;
    removal_free(&removal);
    return fit;
}

static bool may_take(struct deletion_search *search, const struct deletion_option *option)
{
    struct disruption_candidate *candidate = option->candidate;
    if (candidate->pool->remaining == 0 || !evictions_take(&search->evictions, candidate, false))
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

// Adds the options from `first` on that fit with the set, as many of `count` as possible. If not
// all fit, it tries halves.
static void add_chunk(struct deletion_search *search, const struct deletion_option *options,
                      uint32_t count)
{
    assert(count > 0);
    uint32_t before = search->set_count;
    for (uint32_t i = 0; i < count && search->set_count < SET_MAX; i++)
        if (may_take(search, &options[i]))
            search->set[search->set_count++] = options[i].candidate;
    assert(search->set_count <= SET_MAX);
    if (search->set_count == before || fits(search, 0))
        return;
    while (search->set_count > before)
        drop_last(search);
    search->misses += count == 1;
    if (count == 1 || search->effort >= search->effort_end || search->misses >= MISSES_MAX)
        return;
    add_chunk(search, options, count / 2);
    add_chunk(search, options + count / 2, count - count / 2);
}

static void find_set(struct deletion_search *search)
{
    uint32_t chunk = CHUNK_FIRST;
    for (uint32_t at = 0; at < search->count && search->set_count < SET_MAX &&
                          search->effort < search->effort_end && search->misses < MISSES_MAX;) {
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

static uint32_t position_of(const struct deletion_search *search, const struct state_node *state)
{
    for (uint32_t i = 0; i < search->set_count; i++)
        if (search->set[i]->state == state)
            return i;
    return NONE;
}

// The member of the set with most pods that find no room on nodes that stay, in that draw; among
// equals the last, which is worth least. NONE: all fit.
static uint32_t find_misfit(struct deletion_search *search, uint32_t mixture)
{
    struct disruption *disruption = search->disruption;
    search->effort += search->set_count;
    struct removal_simulation removal =
        removal_simulate_mixed(disruption, search->set, search->set_count, mixture);
    uint32_t *misfits = arena_allocate_array(search->arena, search->set_count + 1, sizeof *misfits);
    uint32_t worst = NONE;
    bool fit = removal_is_possible(&removal) && removal.nodes_needed == 0;
    for (uint32_t i = 0; !fit && i < removal.pass->input.queue_count; i++) {
        if (removal.pass->placements[i].kind == ON_NODE)
            continue;
        const struct state_node *home = disruption_node_of(disruption, pass_pod(removal.pass, i));
        uint32_t member = home != NULL ? position_of(search, home) : NONE;
        if (member != NONE)
            misfits[member]++;
    }
    for (uint32_t i = 0; !fit && i < search->set_count; i++)
        if (misfits[i] > 0 && (worst == NONE || misfits[i] >= misfits[worst]))
            worst = i;
    removal_free(&removal);
    return fit ? NONE : worst != NONE ? worst : search->set_count - 1;
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
    while (search->set_count > 0 && search->set_count < found && !fits(search, 0))
        drop_last(search);
}

static void add_command(struct deletion_search *search)
{
    struct disruption *disruption = search->disruption;
    assert(search->set_count > 0 && search->set_count <= SET_MAX);
    struct consolidation_split split = {
        .removal = removal_simulate_scheduled(disruption, search->set, search->set_count, NULL)};
    struct split_part part = {.candidates = search->set,
                              .count = search->set_count,
                              .savings = candidates_price(search->set, search->set_count)};
    split_part_command(disruption, &split, &part);
    split_free(&split);
}

struct found_set {
    struct disruption_candidate **items;
    uint32_t count;
    int64_t cost; // saved
};

static bool is_better(const struct deletion_search *search, const struct found_set *best)
{
    return search->set_count > 0 &&
           (best->count == 0 ||
            candidates_cost(search->disruption, search->set, search->set_count) > best->cost);
}

static void keep_better(struct deletion_search *search, struct found_set *best)
{
    if (is_better(search, best)) // before it shrinks
        confirm_by_shrinking(search);
    if (!is_better(search, best))
        return;
    memcpy(best->items, search->set, search->set_count * sizeof *best->items);
    best->count = search->set_count;
    best->cost = candidates_cost(search->disruption, search->set, search->set_count);
}

static void drop_all(struct deletion_search *search)
{
    while (search->set_count > 0)
        drop_last(search);
}

// What fits depends on the order in which nodes are added: the best of several sets.
static void find_best_set(struct deletion_search *search)
{
    struct found_set best = {.items = arena_allocate_array(search->arena, SET_MAX + 1,
                                                           sizeof(struct disruption_candidate *))};
    uint32_t nodes = search->disruption->problem->nodes.count;
    for (uint32_t order = 0; order < ORDERS && (uint64_t)search->effort * nodes < WORK_MAX;
         order++) {
        sort_options(search, order);
        search->effort_end = search->effort + EFFORT_MAX;
        search->misses = 0;
        find_set(search);
        keep_better(search, &best);
        drop_all(search);
        if (best.count == 0) // in no other order more would fit
            break;
    }
    for (uint32_t i = 0; i < best.count; i++) {
        struct deletion_option option = {.candidate = best.items[i]};
        if (may_take(search, &option))
            search->set[search->set_count++] = best.items[i];
    }
    assert(search->set_count == best.count);
}

bool deletions_decide(struct disruption *disruption, const candidate_list *wanted, uint32_t least)
{
    CLEANUP_ARENA struct arena *arena = arena_create(65536);
    struct deletion_search search = {
        .disruption = disruption, .arena = arena, .evictions = evictions_create(disruption)};
    struct spare_capacity spare = spare_capacity_find(disruption, arena);
    rank(&search, wanted, &spare);
    search.set = arena_allocate_array(arena, SET_MAX + 1, sizeof(struct disruption_candidate *));
    find_best_set(&search);
    if (search.set_count == 0 || search.set_count < least) {
        drop_all(&search);
        return false;
    }
    add_command(&search);
    return true;
}
