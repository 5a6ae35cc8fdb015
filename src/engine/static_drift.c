// Drifted nodes of static pools (DIS-220, DIS-221, DIS-728): for each, one new node of the pool's
// template.
#include <stdlib.h>
#include <string.h>

#include "engine/disrupt.h"
#include "engine/problem.h"
#include "engine/static_claim.h"

static int compare_drift(const void *a, const void *b)
{
    const struct disruption_candidate *x = *(struct disruption_candidate *const *)a;
    const struct disruption_candidate *y = *(struct disruption_candidate *const *)b;
    int64_t left = condition_find(&x->claim->status.conditions, "Drifted")->last_transition_time;
    int64_t right = condition_find(&y->claim->status.conditions, "Drifted")->last_transition_time;
    if (left != right)
        return left < right ? -1 : 1;
    return strcmp(x->node->meta.name, y->node->meta.name);
}

static candidate_list find_drifted(struct disruption *disruption,
                                   const struct candidate_table *table,
                                   const struct disruption_pool *pool)
{
    candidate_list list = candidate_list_create(disruption, table);
    list_for_each (candidate, &table->candidates)
        if (candidate->pool == pool &&
            condition_is_true(&candidate->claim->status.conditions, "Drifted") &&
            !disruption_is_paused(disruption, candidate, true))
            list.items[list.count++] = candidate;
    qsort(list.items, list.count, sizeof *list.items, compare_drift);
    return list;
}

static bool belongs_to(const struct node_claim *claim, const struct node_pool *pool)
{
    return text_equal(string_map_get(&claim->meta.labels, LABEL_NODE_POOL), pool->meta.name);
}

static bool has_machine(const struct node_claim *claim)
{
    return claim->status.provider_id != NULL && claim->status.provider_id[0] != '\0';
}

// LIF-231: those with a machine are state nodes.
static void count_claims(const struct problem *problem, const struct node_pool *pool,
                         int64_t *active, int64_t *deleting)
{
    const struct snapshot *snapshot = problem->snapshot;
    *active = *deleting = 0;
    for (uint32_t i = 0; i < problem->nodes.count; i++) {
        const struct state_node *state = &problem->nodes.items[i];
        if (state->claim == NULL || !belongs_to(state->claim, pool))
            continue;
        *active += !state->marked_for_deletion;
        *deleting += state->marked_for_deletion;
    }
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE_CLAIM].count; i++) {
        const struct node_claim *claim =
            (const struct node_claim *)snapshot->objects[KIND_NODE_CLAIM].items[i];
        if (has_machine(claim) || !belongs_to(claim, pool))
            continue;
        *active += claim->meta.deletion_timestamp == 0;
        *deleting += claim->meta.deletion_timestamp != 0;
    }
}

// DIS-220: how many of `want` may be replaced.
static int64_t granted(const struct problem *problem, const struct node_pool *pool, int64_t want)
{
    int64_t active, deleting;
    count_claims(problem, pool, &active, &deleting);
    if (active > pool->spec.replicas.value)
        return 0;
    if (!resource_map_has(&pool->spec.limits, "nodes"))
        return want;
    int64_t room = resource_map_get(&pool->spec.limits, "nodes") - active - deleting;
    return want < room ? want : room;
}

void static_drift_decide(struct disruption *disruption)
{
    struct candidate_table table = disruption_candidates(disruption, "Drifted", true);
    list_for_each (pool, &table.pools) {
        if (!pool->pool->spec.replicas.present || pool->remaining == 0)
            continue;
        candidate_list list = find_drifted(disruption, &table, pool);
        int64_t want = list.count < pool->remaining ? list.count : pool->remaining;
        want = want > 0 ? granted(disruption->problem, pool->pool, want) : 0;
        for (int64_t i = 0; i < want; i++) {
            struct plan_disruption *command =
                disruption_command(disruption, "Drifted", NULL, &list.items[i], 1);
            command->savings = 0; // one like it comes in its place
            command->replacements.items =
                arena_allocate(disruption->plan->arena, sizeof *command->replacements.items);
            static_claim_make(disruption->plan->arena, disruption->problem->settings,
                              pool->catalogue, pool->pool,
                              &command->replacements.items[command->replacements.count++]);
        }
    }
}
