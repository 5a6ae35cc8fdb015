#include "engine/disruption/static_capacity_plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/disruption/static_order.h"
#include "engine/problem/state_node.h"
#include "model/reading/state_node_rules.h"

static const struct state_node *state_of(const struct state_nodes *states,
                                         const struct node_claim *claim)
{
    for (uint32_t i = 0; i < states->count; i++)
        if (states->items[i].claim == claim)
            return &states->items[i];
    return NULL;
}

static bool is_of_pool(const struct node_claim *claim, const struct node_pool *pool)
{
    return text_equal(object_label((const struct object *)claim, LABEL_NODE_POOL), pool->meta.name);
}

// `*all` counts those that are ending, too: limits do.
static uint32_t find_active(const struct snapshot *snapshot, const struct state_nodes *states,
                            const struct node_pool *pool, struct static_candidate *active,
                            int64_t *all)
{
    uint32_t count = 0;
    list_for_each (object, &snapshot->objects[KIND_NODE_CLAIM]) {
        const struct node_claim *claim = (const struct node_claim *)*object;
        if (!is_of_pool(claim, pool))
            continue;
        (*all)++;
        const struct state_node *state = state_of(states, claim);
        if (node_claim_is_ending(claim) || (state != NULL && state->marked_for_deletion))
            continue;
        active[count++] =
            state == NULL ? static_candidate_unlaunched(claim)
                          : static_candidate_of(claim, (const struct pod *const *)state->pods.items,
                                                state->pods.count, snapshot->time);
    }
    return count;
}

static int64_t room_in_limits(const struct node_pool *pool, int64_t all)
{
    if (!resource_map_has(&pool->spec.limits, "nodes"))
        return INT64_MAX;
    int64_t limit = resource_map_get(&pool->spec.limits, "nodes");
    return limit > all ? limit - all : 0;
}

static struct static_pool_plan plan_pool(struct arena *arena, const struct snapshot *snapshot,
                                         const struct state_nodes *states,
                                         const struct node_pool *pool)
{
    uint32_t claims = snapshot->objects[KIND_NODE_CLAIM].count;
    struct static_candidate *active = arena_allocate_array(arena, claims + 1, sizeof *active);
    int64_t all = 0, wanted = pool->spec.replicas.value;
    uint32_t count = find_active(snapshot, states, pool, active, &all);
    struct static_pool_plan plan = {.pool = pool, .active = count};
    static_candidates_sort(active, count);
    if (wanted > count) {
        int64_t room = room_in_limits(pool, all);
        plan.missing = wanted - count < room ? wanted - count : room;
    }
    plan.excess.items = arena_allocate_array(arena, count + 1, sizeof *plan.excess.items);
    for (uint32_t i = 0; i < count && count - i > wanted; i++)
        plan.excess.items[plan.excess.count++] = active[i].claim->meta.name;
    assert(plan.missing == 0 || plan.excess.count == 0);
    return plan;
}

static int compare_pools(const void *a, const void *b)
{
    const struct static_pool_plan *x = a, *y = b;
    return strcmp(x->pool->meta.name, y->pool->meta.name);
}

struct static_capacity_plan static_capacity_plan_of(struct arena *arena,
                                                    const struct snapshot *snapshot)
{
    struct static_capacity_plan plan = {0};
    uint32_t count = snapshot->objects[KIND_NODE_POOL].count;
    if (!snapshot->settings.gate_static_capacity || count == 0)
        return plan;
    struct state_nodes states = state_nodes_build(arena, snapshot);
    plan.pools.items = arena_allocate_array(arena, count, sizeof *plan.pools.items);
    list_for_each (object, &snapshot->objects[KIND_NODE_POOL]) {
        const struct node_pool *pool = (const struct node_pool *)*object;
        if (!pool->spec.replicas.present || object_is_deleting(*object))
            continue;
        struct static_pool_plan of_pool = plan_pool(arena, snapshot, &states, pool);
        if (of_pool.active != pool->spec.replicas.value)
            plan.pools.items[plan.pools.count++] = of_pool;
    }
    qsort(plan.pools.items, plan.pools.count, sizeof *plan.pools.items, compare_pools);
    state_nodes_free(&states);
    return plan;
}
