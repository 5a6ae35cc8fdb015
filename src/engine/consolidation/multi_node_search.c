#include "engine/consolidation/multi_node_search.h"

#include <assert.h>
#include <stdlib.h>

#include "base/quantity.h"
#include "engine/consolidation/balanced_policy.h"
#include "engine/consolidation/blocked_moves.h"
#include "engine/consolidation/consolidation.h"
#include "engine/consolidation/deletions.h"
#include "engine/consolidation/multi_node_attempts.h"
#include "engine/consolidation/repack_target.h"
#include "engine/consolidation/spare_capacity.h"
#include "engine/disruption/disruption_candidates.h"
#include "engine/disruption/evictions.h"
#include "engine/problem/problem.h"

#define SET_MAX            100 // candidates removed at once
#define GROUPS_MAX         12  // pools and zones searched separately
#define GROUP_MOVABLE      40  // candidates of a group that are checked
#define DESTINATIONS_KEPT  3   // of a candidate: nodes that would take its pods
#define DESTINATIONS_MAX   6   // nodes whose candidates are searched together
#define DESTINATIONS_ASKED 24  // candidates whose destinations are computed for that
#define FITTING_ASKED      32  // candidates tried against spare capacity
#define MORE_EFFORT        400 // candidates that each of these two searches may simulate
#define MORE_PACKED        150

struct ranked_candidate {
    struct disruption_candidate *candidate;
    int64_t saving_max; // nano-USD an hour: the most that its removal can save
    uint32_t merit;     // position in the order of DIS-61, DIS-700
    int movable;        // 0: unknown; otherwise 1 or -1
    bool fits;          // movable: its pods need no new node
    uint32_t destinations[DESTINATIONS_KEPT]; // movable: destination nodes of its largest pods
    uint32_t destinations_count;
};
struct fitting {
    struct ranked_candidate *ranked;
    struct capacity_need need;
};
struct destination_node {
    uint32_t place, candidates;
    bool fits;          // some candidate's pods need no new node
    int64_t saving_max; // of its candidates
};
struct multi_node_search {
    struct disruption *disruption;
    struct arena *arena;
    struct evictions evictions;
    struct ranked_candidate *ranked; // by saving_max
    uint32_t count;
    struct multi_node_attempts attempts;
};

// --- candidates ----------------------------------------------------------------------------------

static int by_saving_max(const void *a, const void *b)
{
    const struct ranked_candidate *x = a, *y = b;
    if (x->saving_max != y->saving_max)
        return x->saving_max > y->saving_max ? -1 : 1;
    return x->merit < y->merit ? -1 : x->merit > y->merit;
}

static int by_merit(const void *a, const void *b)
{
    const struct ranked_candidate *x = *(const struct ranked_candidate *const *)a;
    const struct ranked_candidate *y = *(const struct ranked_candidate *const *)b;
    return x->merit < y->merit ? -1 : x->merit > y->merit;
}

static void rank(struct multi_node_search *search, const candidate_list *wanted)
{
    search->ranked = arena_allocate_array(search->arena, wanted->count + 1, sizeof *search->ranked);
    for (uint32_t i = 0; i < wanted->count; i++) {
        struct disruption_candidate *candidate = wanted->items[i];
        if (!balanced_policy_may_approve(candidate))
            continue;
        int64_t least = price_bound_of(&search->attempts.bound, candidate);
        int64_t cost = candidates_cost(search->disruption, &candidate, 1);
        search->ranked[search->count++] = (struct ranked_candidate){
            candidate, least < cost ? quantity_subtract(cost, least) : 0, i, 0};
    }
    assert(search->count <= wanted->count);
    qsort(search->ranked, search->count, sizeof *search->ranked, by_saving_max);
}

static void note_destinations(struct ranked_candidate *ranked,
                              const struct removal_simulation *removal)
{
    assert(ranked->destinations_count == 0);
    const struct pass *pass = removal->pass;
    ranked->fits = removal->nodes_needed == 0;
    for (uint32_t i = 0;
         i < pass->input.queue_count && ranked->destinations_count < DESTINATIONS_KEPT; i++) {
        bool known = false;
        if (pass_pod(pass, i)->on != ranked->candidate->state ||
            pass->placements[i].kind != ON_NODE)
            continue;
        for (uint32_t d = 0; d < ranked->destinations_count; d++)
            known = known || ranked->destinations[d] == pass->placements[i].index;
        if (!known)
            ranked->destinations[ranked->destinations_count++] = pass->placements[i].index;
    }
}

// DIS-713: true unless some of the candidate's pods have no other place, which makes every set with
// it impossible.
static bool is_movable(struct multi_node_search *search, struct ranked_candidate *ranked)
{
    if (ranked->movable == 0) {
        struct removal_simulation removal =
            removal_simulate(search->disruption, &ranked->candidate, 1, true);
        ranked->movable = removal_is_possible(&removal) ? 1 : -1;
        if (ranked->movable > 0)
            note_destinations(ranked, &removal);
        else
            blocked_removal_note(search->disruption, ranked->candidate, &removal);
        removal_free(&removal);
    }
    assert(ranked->movable == 1 || ranked->movable == -1);
    return ranked->movable > 0;
}

struct candidate_filter { // NULL: any
    const struct disruption_pool *pool;
    const char *zone;
    uint32_t destination; // a node's index, + 1; 0: any
};

static const char *zone_of(const struct disruption_candidate *candidate)
{
    return string_map_get(candidate->state->labels, LABEL_ZONE);
}

static bool goes_to(const struct ranked_candidate *ranked, uint32_t place)
{
    for (uint32_t i = 0; i < ranked->destinations_count; i++)
        if (ranked->destinations[i] == place)
            return true;
    return false;
}

static bool passes(const struct candidate_filter *filter, const struct ranked_candidate *ranked)
{
    return (filter->pool == NULL || filter->pool == ranked->candidate->pool) &&
           (filter->zone == NULL || text_equal(filter->zone, zone_of(ranked->candidate))) &&
           (filter->destination == 0 || goes_to(ranked, filter->destination - 1));
}

// Releases the evictions of the set: only one of the sets tried will go.
static void give_back(struct multi_node_search *search, struct disruption_candidate *const *taken,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        taken[i]->pool->remaining++;
        assert(taken[i]->pool->remaining <= taken[i]->pool->allowed);
        evictions_give_back(&search->evictions, taken[i], false);
    }
}

// The candidates that budgets and PodDisruptionBudgets allow at once, in the order of `order`.
static uint32_t take(struct multi_node_search *search, struct ranked_candidate *const *order,
                     uint32_t count, const struct candidate_filter *filter, uint32_t most,
                     struct disruption_candidate **taken)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count && found < most; i++) {
        struct disruption_candidate *candidate = order[i]->candidate;
        if (candidate->pool->remaining == 0 || !passes(filter, order[i]) ||
            !is_movable(search, order[i]) || !evictions_take(&search->evictions, candidate, false))
            continue;
        candidate->pool->remaining--;
        taken[found++] = candidate;
    }
    give_back(search, taken, found);
    return found;
}

// --- all sets ------------------------------------------------------------------------------------

static void search_by_filter(struct multi_node_search *search,
                             struct ranked_candidate *const *order,
                             const struct candidate_filter *filter, uint32_t most)
{
    struct disruption_candidate **taken =
        arena_allocate_array(search->arena, most + 1, sizeof *taken);
    multi_node_attempt_prefixes(&search->attempts, taken,
                                take(search, order, search->count, filter, most, taken));
}

static struct ranked_candidate **make_order(struct multi_node_search *search, bool merit)
{
    struct ranked_candidate **order =
        arena_allocate_array(search->arena, search->count + 1, sizeof *order);
    for (uint32_t i = 0; i < search->count; i++)
        order[i] = &search->ranked[i];
    if (merit)
        qsort(order, search->count, sizeof *order, by_merit);
    return order;
}

// The pools and zones of the most valuable candidates, if there are several.
static uint32_t find_groups(const struct multi_node_search *search,
                            struct candidate_filter groups[GROUPS_MAX])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < search->count; i++) {
        const struct disruption_candidate *candidate = search->ranked[i].candidate;
        const struct candidate_filter own[] = {{.pool = candidate->pool},
                                               {.zone = zone_of(candidate)}};
        for (size_t f = 0; f < ARRAY_LENGTH(own); f++) {
            bool known = false;
            for (uint32_t g = 0; g < count; g++)
                known = known ||
                        (groups[g].pool == own[f].pool && text_equal(groups[g].zone, own[f].zone));
            if (!known && count < GROUPS_MAX)
                groups[count++] = own[f];
        }
    }
    assert(count <= GROUPS_MAX);
    return count;
}

// --- spare capacity ------------------------------------------------------------------------------

static int by_density(const void *a, const void *b)
{
    const struct fitting *x = a, *y = b;
    int order = capacity_needs_compare(&x->need, &y->need);
    return order != 0                            ? order
           : x->ranked->merit < y->ranked->merit ? -1
                                                 : x->ranked->merit > y->ranked->merit;
}

// The most expensive nodes for the least room first, without those that cannot fit.
static struct fitting *rank_fitting(struct multi_node_search *search,
                                    const struct spare_capacity *spare, uint32_t *count)
{
    struct fitting *list = arena_allocate_array(search->arena, search->count + 1, sizeof *list);
    *count = 0;
    for (uint32_t i = 0; i < search->count; i++) {
        struct capacity_need need = spare_capacity_need(spare, search->ranked[i].candidate);
        if (capacity_need_fits(&need))
            list[(*count)++] = (struct fitting){&search->ranked[i], need};
    }
    if (*count > 1)
        qsort(list, *count, sizeof *list, by_density);
    return list;
}

// A candidate whose pods fit existing room saves its whole cost, however little its pods would save
// on new nodes.
static void search_spare_capacity(struct multi_node_search *search)
{
    struct spare_capacity spare = spare_capacity_find(search->disruption, search->arena);
    struct disruption_candidate **taken =
        arena_allocate_array(search->arena, SET_MAX + 1, sizeof *taken);
    uint32_t count, found = 0, asked = 0;
    struct fitting *list = rank_fitting(search, &spare, &count);
    for (uint32_t i = 0; i < count && found < SET_MAX && asked < FITTING_ASKED; i++) {
        struct disruption_candidate *candidate = list[i].need.candidate;
        asked += list[i].ranked->movable == 0;
        if (candidate->pool->remaining == 0 || !is_movable(search, list[i].ranked) ||
            !list[i].ranked->fits || !evictions_take(&search->evictions, candidate, false))
            continue;
        if (!spare_capacity_take(&spare, &list[i].need)) {
            evictions_give_back(&search->evictions, candidate, false);
            continue;
        }
        candidate->pool->remaining--;
        taken[found++] = candidate;
    }
    give_back(search, taken, found);
    multi_node_attempt_prefixes(&search->attempts, taken, found);
}

// --- shared destinations -------------------------------------------------------------------------

static int by_weight(const void *a, const void *b)
{
    const struct destination_node *x = a, *y = b;
    if (x->saving_max != y->saving_max)
        return x->saving_max > y->saving_max ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

// Destinations of several candidates, the most valuable first.
static uint32_t find_destinations(struct multi_node_search *search, struct destination_node *list)
{
    uint32_t count = 0, asked = 0, kept = 0;
    uint32_t *index = arena_allocate_array(
        search->arena, search->disruption->problem->nodes.count + 1, sizeof *index); // + 1
    for (uint32_t i = 0; i < search->count; i++) {
        struct ranked_candidate *ranked = &search->ranked[i];
        if (ranked->movable == 0 && asked++ >= DESTINATIONS_ASKED)
            continue;
        for (uint32_t d = 0; is_movable(search, ranked) && d < ranked->destinations_count; d++) {
            uint32_t *at = &index[ranked->destinations[d]];
            assert(*at <= count);
            if (*at == 0) {
                list[count] = (struct destination_node){.place = ranked->destinations[d]};
                *at = ++count;
            }
            list[*at - 1].candidates++;
            list[*at - 1].fits = list[*at - 1].fits || ranked->fits;
            list[*at - 1].saving_max = quantity_add(list[*at - 1].saving_max, ranked->saving_max);
        }
    }
    for (uint32_t i = 0; i < count; i++)
        if (list[i].candidates >= 2 && list[i].fits)
            list[kept++] = list[i];
    if (kept > 1)
        qsort(list, kept, sizeof *list, by_weight);
    return kept < DESTINATIONS_MAX ? kept : DESTINATIONS_MAX;
}

// Candidates with the same destination compete: one takes its room, the others may share a new
// node.
static void search_by_destination(struct multi_node_search *search,
                                  struct ranked_candidate *const *order)
{
    struct destination_node *list =
        arena_allocate_array(search->arena, DESTINATIONS_KEPT * search->count + 1, sizeof *list);
    uint32_t count = find_destinations(search, list);
    for (uint32_t i = 0; i < count; i++) {
        const struct candidate_filter filter = {.destination = list[i].place + 1};
        search_by_filter(search, order, &filter, GROUP_MOVABLE);
    }
}

static void allow_more(struct multi_node_search *search)
{
    search->attempts.effort_max = search->attempts.effort + MORE_EFFORT;
    search->attempts.packed_max = search->attempts.effort + MORE_PACKED;
}

static void search_everywhere(struct multi_node_search *search)
{
    const struct candidate_filter any = {0};
    struct candidate_filter groups[GROUPS_MAX];
    struct ranked_candidate **by_saving = make_order(search, false),
                            **merit = make_order(search, true);
    search_by_filter(search, by_saving, &any, SET_MAX);
    search_by_filter(search, merit, &any, SET_MAX);
    uint32_t count = find_groups(search, groups);
    for (uint32_t g = 0; count > 2 && g < count; g++) // one pool and one zone: that was all
        search_by_filter(search, by_saving, &groups[g], GROUP_MOVABLE);
    allow_more(search);
    search_spare_capacity(search);
    allow_more(search);
    search_by_destination(search, by_saving);
}

// --- the commands --------------------------------------------------------------------------------

// The part with all nodes whose pods only move to existing nodes.
static struct split_part deletions(const struct consolidation_split *split,
                                   struct disruption *disruption)
{
    struct split_part all = {0};
    all.candidates =
        arena_allocate_array(disruption->arena, SET_MAX + 1, sizeof(struct disruption_candidate *));
    for (uint32_t i = 0; i < split->count; i++)
        if (split->parts[i].replacements_count == 0)
            all.candidates[all.count++] = split->parts[i].candidates[0];
    assert(all.count <= SET_MAX);
    all.savings = candidates_price(all.candidates, all.count);
    return all;
}

// The greatest saving for each new node first.
static int by_saving_of_launch(const void *a, const void *b)
{
    const struct split_part *x = *(const struct split_part *const *)a;
    const struct split_part *y = *(const struct split_part *const *)b;
    __int128 one = (__int128)x->savings * y->replacements_count;
    __int128 other = (__int128)y->savings * x->replacements_count;
    if (one != other)
        return one > other ? -1 : 1;
    return x < y ? -1 : x > y;
}

// Each move brings the price nearer to its target, so the last ones may be too small by then.
static void add_replacements(struct disruption *disruption, const struct consolidation_split *split)
{
    const struct split_part **parts =
        arena_allocate_array(disruption->arena, split->count + 1, sizeof(struct split_part *));
    uint32_t count = 0;
    for (uint32_t i = 0; i < split->count; i++)
        if (split->parts[i].replacements_count > 0)
            parts[count++] = &split->parts[i];
    qsort(parts, count, sizeof(struct split_part *), by_saving_of_launch);
    for (uint32_t i = 0; i < count; i++)
        if (repack_target_takes(disruption, candidates_price(parts[i]->candidates, parts[i]->count),
                                parts[i]->savings))
            split_part_command(disruption, split, parts[i]);
}

static void add_commands(struct disruption *disruption, const struct consolidation_split *split)
{
    struct split_part deleted = deletions(split, disruption);
    bool several = deleted.count > 1;
    for (uint32_t i = 0; i < split->count; i++)
        several = several || split->parts[i].count > 1;
    if (!several) // single nodes have their own method
        return;
    if (deleted.count > 0) {
        split_part_command(disruption, split, &deleted);
        disruption->repack_saved = quantity_add(disruption->repack_saved, deleted.savings);
    }
    add_replacements(disruption, split);
}

void multi_node_search_decide(struct disruption *disruption)
{
    struct candidate_table table =
        disruption_candidates(disruption, DISRUPTION_UNDERUTILIZED, false);
    candidate_list wanted = consolidation_candidates(disruption, &table);
    if (deletions_decide(disruption, &wanted, 2)) // before anything is bought
        return;
    repack_target_find(disruption, &table);
    CLEANUP_ARENA struct arena *arena = arena_create(65536);
    struct multi_node_search search = {
        .disruption = disruption,
        .arena = arena,
        .evictions = evictions_create(disruption),
        .attempts = multi_node_attempts_create(disruption, arena, wanted.count)};
    const struct multi_node_attempts *attempts = &search.attempts;
    rank(&search, &wanted);
    search_everywhere(&search);
    if (attempts->best.count > 0)
        add_commands(disruption, &attempts->best);
    else if (attempts->rejected_count > 0)
        balanced_policy_note_scores(disruption, attempts->rejected, attempts->rejected_count,
                                    attempts->rejected_saving);
    multi_node_attempts_free(&search.attempts);
}
