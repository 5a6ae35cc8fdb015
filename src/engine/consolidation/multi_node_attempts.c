#include "engine/consolidation/multi_node_attempts.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "engine/problem/problem.h"

#define ROUNDS_MAX 6    // tries of a set, each without the candidates that failed before
#define EFFORT_MAX 3000 // candidates simulated in all
#define PACKED_MAX 600  // candidates of sets that may be packed

struct multi_node_attempts multi_node_attempts_create(struct disruption *disruption,
                                                      struct arena *arena, uint32_t most)
{
    return (struct multi_node_attempts){
        .disruption = disruption,
        .bound = price_bound_create(disruption, arena),
        .effort_max = EFFORT_MAX,
        .packed_max = PACKED_MAX,
        .rejected = arena_allocate_array(arena, most + 1, sizeof(struct disruption_candidate *))};
}

void multi_node_attempts_free(struct multi_node_attempts *attempts)
{
    split_free(&attempts->best);
    vector_free(&attempts->tried);
    price_bound_free(&attempts->bound);
}

static bool stays_for_own_type(const struct split_part *part)
{
    for (uint32_t i = 0; i < part->count; i++)
        if (part->own_type[i])
            return true;
    return false;
}

// Drops candidates that do not pay: if some new nodes of a part equal old ones, those old ones;
// otherwise the whole part.
static uint32_t drop_refused(const struct consolidation_split *split,
                             struct disruption_candidate **set)
{
    uint32_t left = 0;
    for (uint32_t p = 0; p < split->count; p++) {
        const struct split_part *part = &split->parts[p];
        bool some = part->why != NULL && stays_for_own_type(part);
        for (uint32_t i = 0; i < part->count; i++)
            if (part->why == NULL || (some && !part->own_type[i]))
                set[left++] = part->candidates[i];
    }
    return left;
}

// Drops candidates that some new node equals. They earn their part by what else they take in, but
// the set may be worth more without them.
static uint32_t drop_own_types(const struct consolidation_split *split,
                               struct disruption_candidate **set)
{
    uint32_t left = 0;
    for (uint32_t p = 0; p < split->count; p++)
        for (uint32_t i = 0; i < split->parts[p].count; i++)
            if (!split->parts[p].own_type[i])
                set[left++] = split->parts[p].candidates[i];
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

// DIS-206. The single-node method records the scores of single nodes.
static void note_rejected(struct multi_node_attempts *attempts,
                          const struct consolidation_split *split)
{
    for (uint32_t p = 0; p < split->count; p++) {
        const struct split_part *part = &split->parts[p];
        if (part->count < 2 || !part->low_score)
            continue;
        memcpy(attempts->rejected, part->candidates,
               part->count * sizeof(struct disruption_candidate *));
        attempts->rejected_count = part->count;
        attempts->rejected_saving = part->payback.saving;
    }
}

// True if no candidates share a new node and none pays alone: smaller sets are no better.
static bool is_pointless(const struct consolidation_split *split, uint32_t count)
{
    return split->cannot_pay || (split->count == count && split->refused == count);
}

static struct consolidation_split simulate_set(struct multi_node_attempts *attempts,
                                               struct disruption_candidate *const *set,
                                               uint32_t count)
{
    bool may_pack = attempts->effort + count <= attempts->packed_max;
    attempts->effort += count;
    return split_simulate(attempts->disruption, set, count, NULL,
                          may_pack ? &attempts->bound : NULL, attempts->best.value);
}

static bool keep_better(struct multi_node_attempts *attempts, struct consolidation_split *split)
{
    if (split->count == 0 || split->refused > 0 || split->value <= attempts->best.value)
        return false;
    split_free(&attempts->best);
    assert(split->value > 0);
    attempts->best = *split;
    return true;
}

// Tries the set, then the set without the candidates that failed or that a new node equals, and
// keeps the best result so far. False: smaller sets need no try.
static bool attempt(struct multi_node_attempts *attempts,
                    struct disruption_candidate *const *candidates, uint32_t count)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    struct disruption_candidate **set = arena_allocate_array(scratch, count + 1, sizeof *set);
    bool found = false;
    if (count > 0)
        memcpy(set, candidates, count * sizeof(struct disruption_candidate *));
    for (uint32_t round = 0; round < ROUNDS_MAX && count >= 2; round++) {
        if (attempts->effort + count > attempts->effort_max)
            return false;
        struct consolidation_split split = simulate_set(attempts, set, count);
        note_rejected(attempts, &split);
        bool better = keep_better(attempts, &split);
        bool pointless = !better && is_pointless(&split, count);
        found = found || better;
        uint32_t left =
            better ? drop_own_types(&split, set)
            : split.count == 0
                ? drop_one(set, count, split_unschedulable_candidate(&split, set, count))
                : drop_refused(&split, set);
        if (!better)
            split_free(&split);
        assert(left <= count);
        if (pointless || left == count)
            return found || !pointless;
        count = left;
    }
    return true;
}

static uint64_t hash_set(const struct multi_node_attempts *attempts,
                         struct disruption_candidate *const *candidates, uint32_t count)
{
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; i++)
        hash += hash_mix(
            (uint64_t)(candidates[i]->state - attempts->disruption->problem->nodes.items), count);
    return hash;
}

// The same, once a set.
static bool attempt_once(struct multi_node_attempts *attempts,
                         struct disruption_candidate *const *candidates, uint32_t count)
{
    struct tried_set tried = {.hash = hash_set(attempts, candidates, count)};
    vector_for_each (known, &attempts->tried)
        if (known->hash == tried.hash)
            return known->smaller_may_do;
    tried.smaller_may_do = attempt(attempts, candidates, count);
    vector_push(&attempts->tried, tried);
    return tried.smaller_may_do;
}

void multi_node_attempt_prefixes(struct multi_node_attempts *attempts,
                                 struct disruption_candidate *const *taken, uint32_t count)
{
    assert(count == 0 || taken != NULL);
    for (uint32_t size = count; size >= 2; size -= (size + 2) / 3)
        if (!attempt_once(attempts, taken, size))
            return;
}
