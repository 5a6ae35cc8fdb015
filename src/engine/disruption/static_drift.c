#include "engine/disruption/static_drift.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "engine/disruption/disruption_candidates.h"
#include "engine/disruption/drift.h"
#include "engine/disruption/eligibility.h"
#include "engine/disruption/evictions.h"
#include "engine/problem/problem.h"
#include "engine/templates/static_claim.h"

static candidate_list find_drifted(struct disruption *disruption,
                                   const struct candidate_table *table,
                                   const struct disruption_pool *pool)
{
    candidate_list list = candidate_list_create(disruption, table);
    list_for_each (candidate, &table->candidates)
        if (candidate->pool == pool && candidate_is_drifted(candidate) &&
            !disruption_is_paused(disruption, candidate, true))
            list.items[list.count++] = candidate;
    qsort(list.items, list.count, sizeof *list.items, compare_drift_times);
    return list;
}

static bool belongs_to(const struct node_claim *claim, const struct node_pool *pool)
{
    return text_equal(string_map_get(&claim->meta.labels, LABEL_NODE_POOL), pool->meta.name);
}

struct static_claim_counts {
    int64_t active, deleting;
    int64_t coming; // active, but not initialized yet
    int64_t going;  // deleting, or in a running command
};

// LIF-231: NodeClaims with a machine are state nodes.
static struct static_claim_counts count_claims(const struct disruption *disruption,
                                               const struct node_pool *pool)
{
    const struct problem *problem = disruption->problem;
    const struct snapshot *snapshot = disruption->snapshot;
    struct static_claim_counts counts = {0};
    for (uint32_t i = 0; i < problem->nodes.count; i++) {
        const struct state_node *state = &problem->nodes.items[i];
        if (state->claim == NULL || !belongs_to(state->claim, pool))
            continue;
        counts.active += !state->marked_for_deletion;
        counts.deleting += state->marked_for_deletion;
        counts.coming += !state->marked_for_deletion && !state->initialized;
        counts.going += disruption_is_going(disruption, state);
    }
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE_CLAIM].count; i++) {
        const struct node_claim *claim =
            (const struct node_claim *)snapshot->objects[KIND_NODE_CLAIM].items[i];
        if (node_claim_is_launched(claim) || !belongs_to(claim, pool))
            continue;
        counts.active += claim->meta.deletion_timestamp == 0;
        counts.deleting += claim->meta.deletion_timestamp != 0;
        counts.going += claim->meta.deletion_timestamp != 0;
        counts.coming += claim->meta.deletion_timestamp == 0;
    }
    return counts;
}

static bool has_limit(const struct node_pool *pool)
{
    return resource_map_has(&pool->spec.limits, "nodes");
}

// DIS-220: how many of `want` the limit lets be replaced.
static int64_t allowed_by_limit(const struct node_pool *pool,
                                const struct static_claim_counts *counts, int64_t want)
{
    if (!has_limit(pool))
        return want;
    int64_t room =
        resource_map_get(&pool->spec.limits, "nodes") - counts->active - counts->deleting;
    return want < room ? want : room > 0 ? room : 0;
}

// The candidates that may go in addition to running commands (DIS-760, DIS-761), the longest
// drifted first; at most `most`.
static candidate_list take(struct disruption *disruption, const struct candidate_table *table,
                           const candidate_list *drifted, int64_t most)
{
    assert(most > 0);
    candidate_list taken = candidate_list_create(disruption, table);
    struct evictions evictions = evictions_create(disruption);
    for (uint32_t i = 0; i < drifted->count && taken.count < most; i++)
        if (evictions_take(&evictions, drifted->items[i], true))
            taken.items[taken.count++] = drifted->items[i];
    return taken;
}

static void replace(struct disruption *disruption, const struct disruption_pool *pool,
                    struct disruption_candidate *candidate)
{
    struct arena *arena = disruption->plan->arena;
    struct plan_disruption *command =
        disruption_command(disruption, DISRUPTION_DRIFTED, CONSOLIDATION_NONE, &candidate, 1);
    command->savings = 0; // an equal one replaces it
    command->replacements.items = arena_allocate(arena, sizeof *command->replacements.items);
    static_claim_make(arena, disruption->problem->settings, pool->catalog, pool->pool,
                      &command->replacements.items[command->replacements.count++]);
}

// DIS-728: if the pool's limit has no room for one more node, nodes are deleted first, one at a
// time; the next one goes when the pool is complete again.
static bool may_delete_first(const struct disruption *disruption,
                             const struct static_claim_counts *counts)
{
    return disruption->strategy->deletes_static_first &&
           !disruption->problem->settings->static_surge_required && counts->going == 0 &&
           counts->coming == 0;
}

// DIS-221, DIS-728: reports nodes that wait. `first`: nodes are deleted first, one at a time.
static void report_limit(struct disruption *disruption, const struct disruption_pool *pool,
                         const candidate_list *left, const struct static_claim_counts *counts,
                         bool first)
{
    const char *message = arena_format(
        disruption->arena,
        "limits.nodes is %" PRId64 " and the NodePool has %" PRId64
        " NodeClaims: no room to replace %" PRIu32 " drifted node(s)%s",
        resource_map_get(&pool->pool->spec.limits, "nodes"), counts->active + counts->deleting,
        left->count, first ? "; one after the other goes before its replacement comes" : "");
    if (!first)
        problem_event(disruption->problem, EVENT_DISRUPTION_BLOCKED_POOL,
                      (const struct object *)pool->pool, message);
    for (uint32_t i = 0; i < left->count; i++)
        disruption_note_blocked(disruption, left->items[i], "DIS-728", message);
}

// DIS-220.
static void report_scale_down(struct disruption *disruption, const struct disruption_pool *pool,
                              const candidate_list *drifted,
                              const struct static_claim_counts *counts)
{
    const char *message =
        arena_format(disruption->arena,
                     "NodePool \"%s\" has %" PRId64 " NodeClaims for %" PRId64
                     " replicas: it is scaled down first",
                     pool->pool->meta.name, counts->active, pool->pool->spec.replicas.value);
    for (uint32_t i = 0; i < drifted->count; i++)
        disruption_note_blocked(disruption, drifted->items[i], "DIS-220", message);
}

static void decide_pool(struct disruption *disruption, const struct candidate_table *table,
                        const struct disruption_pool *pool)
{
    assert(pool->pool->spec.replicas.present);
    candidate_list drifted = find_drifted(disruption, table, pool);
    struct static_claim_counts counts = count_claims(disruption, pool->pool);
    if (drifted.count == 0)
        return;
    if (counts.active > pool->pool->spec.replicas.value)
        return report_scale_down(disruption, pool, &drifted, &counts);
    candidate_list taken = take(disruption, table, &drifted, pool->remaining);
    int64_t room = allowed_by_limit(pool->pool, &counts, taken.count);
    assert(room >= 0);
    assert(room <= taken.count);
    for (int64_t i = 0; i < room; i++)
        replace(disruption, pool, taken.items[i]);
    if (room == taken.count)
        return;
    bool first = room == 0 && may_delete_first(disruption, &counts);
    if (first)
        disruption_command(disruption, DISRUPTION_DRIFTED, CONSOLIDATION_NONE, taken.items, 1)
            ->savings = 0;
    assert(taken.count > 0);
    uint32_t gone = first ? 1 : (uint32_t)room;
    candidate_list left = {.items = taken.items + gone, .count = taken.count - gone};
    if (left.count > 0)
        report_limit(disruption, pool, &left, &counts, first);
}

static uint32_t count_drifted(const struct candidate_table *table)
{
    uint32_t count = 0;
    list_for_each (candidate, &table->candidates)
        count += candidate->pool->pool->spec.replicas.present && candidate_is_drifted(candidate);
    return count;
}

void static_drift_decide(struct disruption *disruption)
{
    struct candidate_table table = disruption_candidates(disruption, DISRUPTION_DRIFTED, true);
    disruption_turn(disruption, METHOD_STATIC_DRIFT, DISRUPTION_DRIFTED, count_drifted(&table));
    list_for_each (pool, &table.pools)
        if (pool->pool->spec.replicas.present && pool->remaining > 0)
            decide_pool(disruption, &table, pool);
}
