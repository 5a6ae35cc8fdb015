#include "engine/disruption/candidates.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/nanoseconds.h"
#include "base/quantity.h"
#include "base/text.h"
#include "engine/disruption/candidate_prices.h"
#include "engine/disruption/nodepool_budgets.h"
#include "engine/disruption/pdb_blocks.h"
#include "engine/disruption/strategy.h"
#include "engine/pods/pod_facts.h"
#include "engine/problem/problem.h"
#include "model/reading/catalog.h"
#include "model/reading/pod.h"
#include "model/reading/pod_eviction.h"
#include "model/reading/selector.h"
#include "model/schema/condition_types.h"

#define ANNOTATION_PLACEHOLDER "karpenter.sh/capacity-buffer-fake-pod"

struct candidate_builder {
    struct arena *arena;
    const struct snapshot *snapshot;
    const struct candidate_options *options;
    struct candidate_table *table;
    const struct disruption_strategy *strategy;
    struct candidate_prices prices;
    struct map *pools;            // disruption_pool by name
    struct map *planned;          // plan_placement by name; NULL: unknown
    struct map *busy, *nominated; // Node names
    struct pdb_check pdbs;
    const struct pod_facts *facts; // by running pod
};

static const struct pod_facts *facts_at(const struct candidate_builder *builder,
                                        const struct state_node *state, uint32_t pod)
{
    return &builder->facts[state->running[pod]];
}

static const char *held(struct candidate_builder *builder, const struct pod *pod,
                        enum candidate_check *check)
{
    *check = CHECK_UNREADABLE_POD;
    if (pod->meta.unreadable != NULL)
        return arena_format(builder->arena, "Pod cannot be read (Pod=%s/%s): %s",
                            pod->meta.namespace, pod->meta.name, pod->meta.unreadable);
    *check = CHECK_POD;
    return arena_format(builder->arena,
                        "Pod has \"" ANNOTATION_DO_NOT_DISRUPT "\" annotation (Pod=%s/%s)",
                        pod->meta.namespace, pod->meta.name);
}

static const char *pods_block(struct candidate_builder *builder, const struct state_node *state,
                              enum candidate_check *check) // 11-13
{
    for (uint32_t i = 0; i < state->pods.count; i++)
        if ((facts_at(builder, state, i)->flags & POD_HELD) != 0)
            return held(builder, state->pods.items[i], check);
    for (uint32_t i = 0; i < state->pods.count; i++) {
        const struct pod_facts *facts = facts_at(builder, state, i);
        const char *message = (facts->flags & POD_EVICTABLE) != 0
                                  ? pdb_blocks(&builder->pdbs, state->pods.items[i], facts, check)
                                  : NULL;
        if (message != NULL)
            return message;
    }
    *check = CHECK_PASSED;
    return NULL;
}

// --- one node ------------------------------------------------------------------------------------
static bool is_placeholder(const struct pod *pod)
{
    return string_map_get(&pod->meta.annotations, ANNOTATION_PLACEHOLDER) != NULL;
}

// True if the plan of the pending pods places a placeholder, or another pod, on the node.
static bool is_wanted(const struct candidate_builder *builder, const char *name,
                      bool by_placeholders)
{
    const struct plan_placement *placement =
        builder->planned != NULL ? map_get(builder->planned, name) : NULL;
    for (uint32_t i = 0; placement != NULL && i < placement->pods.count; i++)
        if (is_placeholder(placement->pods.items[i]) == by_placeholders)
            return true;
    return false;
}

// Upstream counts nominations only; otherwise DIS-765.
static bool is_nominated(const struct candidate_builder *builder, const char *name)
{
    return map_get(builder->nominated, name) != NULL ||
           (builder->strategy->spares_planned_nodes && is_wanted(builder, name, false));
}

// DIS-30: upstream skips nodes whose pool has no instance types; by DIS-718 some methods need none.
static bool is_known(const struct candidate_builder *builder, const char *name)
{
    const struct disruption_pool *pool = map_get(builder->pools, name);
    return pool != NULL && (pool->catalog != NULL || builder->strategy->takes_pools_without_types);
}

static bool is_busy(const struct candidate_builder *builder, const struct node *node)
{
    return node != NULL && map_get(builder->busy, node->meta.name) != NULL;
}

// DIS-32: why the node is no candidate, and the check. NULL: it is a candidate. `*blocked` and
// `*check` then say how its pods block graceful disruption, even if the method may ignore that.
static const char *refusal(struct candidate_builder *builder, const struct state_node *state,
                           enum candidate_check *check, const char **blocked)
{
    *blocked = NULL;
    *check = CHECK_BUSY;
    if (is_busy(builder, state->node))
        return "candidate is already being disrupted";
    *check = CHECK_UNMANAGED;
    if (state->claim == NULL)
        return "node isn't managed by karpenter";
    *check = CHECK_NO_NODE;
    if (state->node == NULL)
        return "Nodeclaim does not have an associated node";
    *check = CHECK_UNREADABLE;
    if (state_node_unreadable(state) != NULL)
        return arena_format(builder->arena, "%s cannot be read: %s",
                            state->node->meta.unreadable != NULL ? "Node" : "NodeClaim",
                            state_node_unreadable(state));
    *check = CHECK_UNINITIALIZED;
    if (!state->initialized)
        return "Node isn't initialized";
    *check = CHECK_MARKED;
    if (state->marked_for_deletion)
        return "Node is deleting or marked for deletion";
    *check = CHECK_NOMINATED;
    if (is_nominated(builder, state->name))
        return "Node is nominated for a pending pod";
    *check = CHECK_ANNOTATION;
    if (text_equal(string_map_get(&state->node->meta.annotations, ANNOTATION_DO_NOT_DISRUPT),
                   "true"))
        return "Disruption is blocked through the \"" ANNOTATION_DO_NOT_DISRUPT "\" annotation";
    *check = CHECK_NO_POOL_LABEL;
    if (state->node_pool == NULL)
        return "Node doesn't have required label (label=" LABEL_NODE_POOL ")";
    *check = CHECK_UNKNOWN_POOL;
    if (!is_known(builder, state->node_pool))
        return arena_format(builder->arena, "NodePool not found (NodePool=%s)", state->node_pool);
    *blocked = pods_block(builder, state, check);
    bool waived =
        builder->options->eventual && state->claim->spec.termination_grace_period.text != NULL;
    return waived ? NULL : *blocked;
}

static double at_least_nothing(double cost)
{
    return cost > 0 ? cost : 0;
}

struct moving_cost { // the pods of a node that would be rescheduled
    uint32_t count;
    double cost, plain; // DIS-56; the same without the cost of Job progress
};

static struct moving_cost moving_pods(const struct candidate_builder *builder,
                                      const struct state_node *state)
{
    struct moving_cost moving = {.count = state->returning.count, .cost = 1.0, .plain = 1.0};
    bool by_run_time = builder->snapshot->settings.job_runtime_cost;
    for (uint32_t i = 0; i < state->pods.count; i++) {
        const struct pod *pod = state->pods.items[i];
        uint32_t flags = facts_at(builder, state, i)->flags;
        if ((flags & POD_MOVES) == 0)
            continue;
        bool one = (flags & POD_COSTS_ONE) != 0;
        double plain = one ? 1.0 : at_least_nothing(pod_eviction_cost(pod));
        moving.count++;
        moving.plain += plain;
        moving.cost += one || !by_run_time
                           ? plain
                           : at_least_nothing(pod_disruption_cost(pod, builder->snapshot->time));
    }
    list_for_each (pod, &state->returning) {
        double plain = at_least_nothing(pod_eviction_cost(*pod));
        moving.plain += plain;
        moving.cost += plain;
    }
    return moving;
}

static void add_candidate(struct candidate_builder *builder, const struct state_node *state,
                          const char *blocked, enum candidate_check blocked_by)
{
    assert(state->node != NULL);
    assert(state->claim != NULL);
    struct disruption_pool *pool = map_get(builder->pools, state->node_pool);
    assert(pool != NULL);
    const char *type = string_map_get(state->labels, LABEL_INSTANCE_TYPE);
    struct disruption_candidate candidate = {
        .state = state,
        .node = state->node,
        .claim = state->claim,
        .pool = pool,
        .type = type != NULL ? candidate_prices_type(&builder->prices, pool, type) : NULL,
        .blocked = blocked,
        .blocked_by = blocked_by,
        .buffered = is_wanted(builder, state->name, true)};
    candidate.price_known = candidate_prices_effective(&builder->prices, state, pool->pool,
                                                       candidate.type, &candidate.price);
    struct moving_cost moving = moving_pods(builder, state);
    assert(moving.cost >= 1.0);
    candidate.reschedulable = moving.count;
    candidate.cost = moving.cost;
    candidate.empty = moving.plain <= 1.0; // DIS-57
    builder->table->candidates.items[builder->table->candidates.count++] = candidate;
}

// --- pools ---------------------------------------------------------------------------------------
static int by_pool_name(const void *a, const void *b)
{
    return strcmp((*(const struct node_pool *const *)a)->meta.name,
                  (*(const struct node_pool *const *)b)->meta.name);
}

static void add_pools(struct candidate_builder *builder)
{
    uint32_t count = builder->snapshot->objects[KIND_NODE_POOL].count;
    const struct node_pool **pools = arena_allocate_array(builder->arena, count + 1, sizeof *pools);
    for (uint32_t i = 0; i < count; i++)
        pools[i] = (const struct node_pool *)builder->snapshot->objects[KIND_NODE_POOL].items[i];
    qsort(pools, count, sizeof *pools, by_pool_name);
    struct candidate_table *table = builder->table;
    table->pools.items =
        arena_allocate_array(builder->arena, count + 1, sizeof *table->pools.items);
    for (uint32_t i = 0; i < count; i++) {
        table->pools.items[i].pool = pools[i];
        candidate_prices_find_types(&builder->prices, &table->pools.items[i]);
        map_set(builder->pools, pools[i]->meta.name, &table->pools.items[i]);
    }
    table->pools.count = count;
}

static void count_node(struct candidate_builder *builder,
                       const struct state_node *state) // DIS-125, DIS-126
{
    struct disruption_pool *pool =
        state->node_pool != NULL ? map_get(builder->pools, state->node_pool) : NULL;
    if (pool == NULL || state->claim == NULL || !state->initialized ||
        condition_is_true(&state->claim->status.conditions, CONDITION_INSTANCE_TERMINATING))
        return;
    pool->total++;
    bool ready =
        state->node != NULL && condition_is_true(&state->node->status.conditions, CONDITION_READY);
    if (state->marked_for_deletion || is_busy(builder, state->node) || !ready)
        pool->disrupting++;
    assert(pool->disrupting <= pool->total);
}

// The cost of nodes that are no candidates, as in upstream's cache; by DIS-754 one definition
// covers all nodes.
static double cost_of_others(const struct state_node *state)
{
    double cost = 1.0;
    list_for_each (pod, &state->pods)
        if (!pod_owned_by_daemon_set(*pod))
            cost += at_least_nothing(pod_eviction_cost(*pod));
    return cost;
}

// DIS-190: adds the pool's price, and the disruption cost of its pods.
static void count_for_balanced_policy(struct candidate_builder *builder,
                                      const struct state_node *state, bool is_candidate)
{
    struct disruption_pool *pool =
        state->node_pool != NULL ? map_get(builder->pools, state->node_pool) : NULL;
    if (pool == NULL || !text_equal(pool->pool->spec.disruption.consolidation_policy, "Balanced"))
        return;
    if (is_candidate) {
        assert(builder->table->candidates.count > 0);
        const struct disruption_candidate *last =
            &builder->table->candidates.items[builder->table->candidates.count - 1];
        pool->balanced_cost += last->cost;
        pool->balanced_price = quantity_add(pool->balanced_price, last->price);
        return;
    }
    pool->balanced_cost += builder->strategy->counts_moving_pods_only
                               ? moving_pods(builder, state).cost
                               : cost_of_others(state);
    const char *name = string_map_get(state->labels, LABEL_INSTANCE_TYPE);
    const struct instance_type *type =
        name != NULL ? candidate_prices_type(&builder->prices, pool, name) : NULL;
    int64_t price;
    if (state->claim != NULL &&
        candidate_prices_effective(&builder->prices, state, pool->pool, type, &price))
        pool->balanced_price = quantity_add(pool->balanced_price, price);
}

void candidates_apply_budgets(struct arena *arena, const struct snapshot *snapshot,
                              const struct candidate_table *table, enum disruption_reason reason)
{
    list_for_each (pool, &table->pools) {
        struct error error = {0};
        if (!nodepool_budgets_allowed(pool->pool, reason, pool->total, snapshot->time,
                                      &pool->allowed, &error))
            pool->budget_error =
                arena_format(arena, "invalid disruption budgets in nodepool %s, %s",
                             pool->pool->meta.name, error.message);
        pool->remaining = pool->allowed - pool->disrupting;
        if (pool->remaining < 0)
            pool->remaining = 0;
        assert(pool->allowed >= 0);
    }
}

// --- the table -----------------------------------------------------------------------------------
// DIS-61,
// DIS-700: savings ratio descending, cost, age, name.
static int by_merit(const void *a, const void *b)
{
    const struct disruption_candidate *x = a, *y = b;
    double x_ratio = (double)x->price / x->cost, y_ratio = (double)y->price / y->cost;
    if (x_ratio != y_ratio)
        return x_ratio > y_ratio ? -1 : 1;
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    if (x->claim->meta.creation_timestamp != y->claim->meta.creation_timestamp)
        return x->claim->meta.creation_timestamp < y->claim->meta.creation_timestamp ? -1 : 1;
    return strcmp(x->node->meta.name, y->node->meta.name);
}

static void index_plan(struct candidate_builder *builder)
{
    if (builder->options->plan == NULL)
        return;
    builder->planned = map_create();
    list_for_each (placement, &builder->options->plan->placements)
        map_set(builder->planned, placement->name, placement);
}

static void index_names(struct candidate_builder *builder)
{
    builder->busy = map_create();
    builder->nominated = map_create();
    for (uint32_t i = 0; builder->options->busy != NULL && i < builder->options->busy->count; i++)
        map_set(builder->busy, builder->options->busy->items[i], builder);
    list_for_each (nomination, &builder->snapshot->nominated)
        if (nomination->until > builder->snapshot->time)
            map_set(builder->nominated, nomination->node, builder);
}

static void free_indexes(struct candidate_builder *builder)
{
    map_destroy(builder->pools, NULL);
    candidate_prices_free(&builder->prices);
    map_destroy(builder->busy, NULL);
    map_destroy(builder->nominated, NULL);
    if (builder->planned != NULL)
        map_destroy(builder->planned, NULL);
    vector_free(&builder->pdbs.matches.items);
}

struct candidate_table candidates_build(struct arena *arena, const struct snapshot *snapshot,
                                        const struct candidate_options *options)
{
    struct candidate_table table = {0};
    struct candidate_builder builder = {.arena = arena,
                                        .snapshot = snapshot,
                                        .options = options,
                                        .table = &table,
                                        .strategy = disruption_strategy_of(&snapshot->settings),
                                        .pools = map_create()};
    builder.prices = (struct candidate_prices){.arena = arena,
                                               .snapshot = snapshot,
                                               .strategy = builder.strategy,
                                               .problem = options->problem,
                                               .spot = options->spot_prices};
    candidate_prices_begin(&builder.prices);
    const struct problem *problem = options->problem;
    struct state_nodes own = {0};
    if (problem == NULL)
        own = state_nodes_build(arena, snapshot);
    struct state_nodes states = problem != NULL ? problem->nodes : own;
    add_pools(&builder);
    index_plan(&builder);
    index_names(&builder);
    builder.pdbs = (struct pdb_check){.arena = arena,
                                      .index = problem != NULL ? problem->pods.budgets
                                                               : pdb_index_create(arena, snapshot)};
    builder.facts = problem != NULL
                        ? problem->pods.facts
                        : pod_facts_create(arena, &states, builder.pdbs.index, snapshot->time);
    table.candidates.items =
        arena_allocate_array(arena, states.count + 1, sizeof *table.candidates.items);
    table.blocks.items = arena_allocate_array(arena, states.count + 1, sizeof *table.blocks.items);
    table.refusals.items =
        arena_allocate_array(arena, states.count + 1, sizeof *table.refusals.items);
    for (uint32_t i = 0; i < states.count; i++) {
        const struct state_node *state = &states.items[i];
        enum candidate_check check;
        const char *blocked;
        count_node(&builder, state);
        const char *message = refusal(&builder, state, &check, &blocked);
        if (message == NULL)
            add_candidate(&builder, state, blocked, check);
        else
            table.refusals.items[table.refusals.count++] =
                (struct disruption_refusal){state, check, message};
        count_for_balanced_policy(&builder, state, message == NULL && blocked == NULL);
        if (message != NULL && check >= CHECK_NO_NODE)
            table.blocks.items[table.blocks.count++] =
                (struct disruption_block){state->node, state->claim, check, message};
    }
    assert(table.candidates.count + table.refusals.count == states.count);
    assert(table.blocks.count <= table.refusals.count);
    candidates_apply_budgets(arena, snapshot, &table, options->reason);
    qsort(table.candidates.items, table.candidates.count, sizeof *table.candidates.items, by_merit);
    if (problem == NULL)
        state_nodes_free(&own);
    free_indexes(&builder);
    return table;
}
