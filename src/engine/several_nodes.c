#include "engine/several_nodes.h"

#include <stdlib.h>
#include <string.h>

#include "engine/evictions.h"
#include "engine/joint.h"
#include "engine/problem.h"
#include "engine/verdicts.h"

#define SET_MAX       100  // candidates that go at the same moment
#define ROUNDS_MAX    6    // a set is tried again without those that spoil it
#define GROUPS_MAX    12   // pools and zones that are looked at by themselves
#define EFFORT_MAX    3000 // candidates simulated in all
#define PACKED_MAX    600  // candidates of sets that may be packed
#define GROUP_MOVABLE 40   // candidates of a group that are looked at

struct ranked {
    struct disruption_candidate *candidate;
    int64_t promise; // nano-USD an hour that its going could save at most
    uint32_t merit;  // place in the order of DIS-61, DIS-700
    int movable;     // 0: not asked yet; else 1 or -1
};
struct search {
    struct disruption *disruption;
    struct arena *arena;
    struct evictions evictions;
    struct least_cost costs;
    struct ranked *ranked; // by promise
    uint32_t count;
    uint32_t effort; // candidates simulated so far
    struct joint best;
};

// --- which candidates
// -----------------------------------------------------------------------------

static int by_promise(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->promise != y->promise)
        return x->promise > y->promise ? -1 : 1;
    return x->merit < y->merit ? -1 : x->merit > y->merit;
}

static int by_merit(const void *a, const void *b)
{
    const struct ranked *x = *(const struct ranked *const *)a;
    const struct ranked *y = *(const struct ranked *const *)b;
    return x->merit < y->merit ? -1 : x->merit > y->merit;
}

static void rank(struct search *search, const candidate_list *wanted)
{
    search->ranked =
        arena_allocate_array(search->arena, wanted->count + 1, sizeof *search->ranked);
    for (uint32_t i = 0; i < wanted->count; i++) {
        struct disruption_candidate *candidate = wanted->items[i];
        if (!balance_may_approve(candidate))
            continue;
        int64_t least = least_cost_of(&search->costs, candidate);
        search->ranked[search->count++] = (struct ranked){
            candidate, least < candidate->price ? candidate->price - least : 0, i, 0};
    }
    qsort(search->ranked, search->count, sizeof *search->ranked, by_promise);
}

// DIS-713: a candidate some of whose pods have no other place would spoil all sets that it is in.
static bool is_movable(struct search *search, struct ranked *ranked)
{
    if (ranked->movable == 0) {
        struct trial trial = trial_run(search->disruption, &ranked->candidate, 1, true);
        ranked->movable = trial_possible(&trial) ? 1 : -1;
        if (ranked->movable < 0)
            verdict_of_trial(search->disruption, ranked->candidate, &trial);
        trial_free(&trial);
    }
    return ranked->movable > 0;
}

struct filter { // NULL: any
    const struct disruption_pool *pool;
    const char *zone;
};

static const char *zone_of(const struct disruption_candidate *candidate)
{
    return string_map_get(candidate->state->labels, LABEL_ZONE);
}

static bool passes(const struct filter *filter, const struct disruption_candidate *candidate)
{
    return (filter->pool == NULL || filter->pool == candidate->pool) &&
           (filter->zone == NULL || text_equal(filter->zone, zone_of(candidate)));
}

// As many as budgets and pods bear at once, in the order of `order`.
static uint32_t take(struct search *search, struct ranked *const *order, uint32_t count,
                     const struct filter *filter, uint32_t most,
                     struct disruption_candidate **taken)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count && found < most; i++) {
        struct disruption_candidate *candidate = order[i]->candidate;
        if (candidate->pool->remaining == 0 || !passes(filter, candidate) ||
            !is_movable(search, order[i]) ||
            !evictions_take(&search->evictions, candidate, false))
            continue;
        candidate->pool->remaining--;
        taken[found++] = candidate;
    }
    for (uint32_t i = 0; i < found; i++) { // only one set of all that are looked at will go
        taken[i]->pool->remaining++;
        evictions_give_back(&search->evictions, taken[i], false);
    }
    return found;
}

// --- one set
// --------------------------------------------------------------------------------------

static bool stays_for_own_type(const struct part *part)
{
    for (uint32_t i = 0; i < part->count; i++)
        if (part->own_type[i])
            return true;
    return false;
}

// What is left of a set without those that are not worth it: of a part in which some new nodes would
// be like old ones those old ones, else the whole part.
static uint32_t drop_refused(const struct joint *joint, struct disruption_candidate **set)
{
    uint32_t left = 0;
    for (uint32_t p = 0; p < joint->count; p++) {
        const struct part *part = &joint->parts[p];
        bool some = part->why != NULL && stays_for_own_type(part);
        for (uint32_t i = 0; i < part->count; i++)
            if (part->why == NULL || (some && !part->own_type[i]))
                set[left++] = part->candidates[i];
    }
    return left;
}

static uint32_t drop_one(struct disruption_candidate **set, uint32_t count,
                         const struct disruption_candidate *one)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++)
        if (set[i] != one)
            set[left++] = set[i];
    return left;
}

// Nobody shares anything, and nobody is worth it alone: so it is with fewer.
static bool is_vain(const struct joint *joint, uint32_t count)
{
    return joint->hopeless || (joint->count == count && joint->refused == count);
}

static struct joint try(struct search *search, struct disruption_candidate *const *set,
                        uint32_t count)
{
    bool may_pack = search->effort + count <= PACKED_MAX;
    search->effort += count;
    return joint_try(search->disruption, set, count, NULL, may_pack ? &search->costs : NULL,
                     search->best.value);
}

// Tries the set, then what is left of it without the offenders, and keeps the outcome if it is the
// best so far. False: smaller sets need not be tried.
static bool attempt(struct search *search, struct disruption_candidate *const *candidates,
                    uint32_t count)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    struct disruption_candidate **set = arena_allocate_array(scratch, count + 1, sizeof *set);
    if (count > 0)
        memcpy(set, candidates, count * sizeof(struct disruption_candidate *));
    for (uint32_t round = 0; round < ROUNDS_MAX && count >= 2; round++) {
        if (search->effort + count > EFFORT_MAX)
            return false;
        struct joint joint = try(search, set, count);
        if (joint.count > 0 && joint.refused == 0 && joint.value > search->best.value) {
            joint_free(&search->best);
            search->best = joint;
            return true;
        }
        bool vain = is_vain(&joint, count);
        uint32_t left =
            joint.count == 0
                ? drop_one(set, count, joint_offender(&joint, set, count))
                : drop_refused(&joint, set);
        joint_free(&joint);
        if (vain || left == count)
            return !vain;
        count = left;
    }
    return true;
}

// Whole, a half, a quarter, and so on.
static void attempt_prefixes(struct search *search, struct disruption_candidate *const *taken,
                             uint32_t count)
{
    for (uint32_t size = count; size >= 2; size /= 2)
        if (!attempt(search, taken, size))
            return;
}

// --- all sets
// -------------------------------------------------------------------------------------

static void look_around(struct search *search, struct ranked *const *order,
                        const struct filter *filter, uint32_t most)
{
    struct disruption_candidate **taken =
        arena_allocate_array(search->arena, most + 1, sizeof *taken);
    attempt_prefixes(search, taken, take(search, order, search->count, filter, most, taken));
}

static struct ranked **make_order(struct search *search, bool merit)
{
    struct ranked **order = arena_allocate_array(search->arena, search->count + 1, sizeof *order);
    for (uint32_t i = 0; i < search->count; i++)
        order[i] = &search->ranked[i];
    if (merit)
        qsort(order, search->count, sizeof *order, by_merit);
    return order;
}

// The pools and zones of the most promising candidates, if there are several.
static uint32_t find_groups(const struct search *search, struct filter groups[GROUPS_MAX])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < search->count; i++) {
        const struct disruption_candidate *candidate = search->ranked[i].candidate;
        const struct filter own[] = {{candidate->pool, NULL}, {NULL, zone_of(candidate)}};
        for (size_t f = 0; f < ARRAY_LENGTH(own); f++) {
            bool known = false;
            for (uint32_t g = 0; g < count; g++)
                known = known || (groups[g].pool == own[f].pool &&
                                  text_equal(groups[g].zone, own[f].zone));
            if (!known && count < GROUPS_MAX)
                groups[count++] = own[f];
        }
    }
    return count;
}

static void look_everywhere(struct search *search)
{
    const struct filter any = {0};
    struct filter groups[GROUPS_MAX];
    struct ranked **promising = make_order(search, false), **merit = make_order(search, true);
    look_around(search, promising, &any, SET_MAX);
    look_around(search, merit, &any, SET_MAX);
    uint32_t count = find_groups(search, groups);
    for (uint32_t g = 0; count > 2 && g < count; g++) // one pool and one zone: those were all
        look_around(search, promising, &groups[g], GROUP_MOVABLE);
}

// --- the commands
// ---------------------------------------------------------------------------------

// The nodes whose pods only move to others go together.
static struct part deletions(const struct joint *joint, struct disruption *disruption)
{
    struct part all = {0};
    all.candidates = arena_allocate_array(disruption->arena, SET_MAX + 1,
                                          sizeof(struct disruption_candidate *));
    for (uint32_t i = 0; i < joint->count; i++)
        if (joint->parts[i].replacements_count == 0)
            all.candidates[all.count++] = joint->parts[i].candidates[0];
    all.savings = candidates_price(all.candidates, all.count);
    return all;
}

static void add_commands(struct disruption *disruption, const struct joint *joint)
{
    struct part deleted = deletions(joint, disruption);
    bool several = deleted.count > 1;
    for (uint32_t i = 0; i < joint->count; i++)
        several = several || joint->parts[i].count > 1;
    if (!several) // single nodes have a method of their own
        return;
    if (deleted.count > 0)
        part_command(disruption, joint, &deleted);
    for (uint32_t i = 0; i < joint->count; i++)
        if (joint->parts[i].replacements_count > 0)
            part_command(disruption, joint, &joint->parts[i]);
}

void several_nodes_decide(struct disruption *disruption)
{
    struct candidate_table table = disruption_candidates(disruption, "Underutilized", false);
    candidate_list wanted = consolidation_candidates(disruption, &table);
    CLEANUP_ARENA struct arena *arena = arena_create(65536);
    struct search search = {.disruption = disruption,
                            .arena = arena,
                            .evictions = evictions_create(disruption),
                            .costs = least_cost_create(disruption, arena)};
    rank(&search, &wanted);
    look_everywhere(&search);
    if (search.best.count > 0)
        add_commands(disruption, &search.best);
    joint_free(&search.best);
    least_cost_free(&search.costs);
}
