#include "engine/candidates.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "engine/budgets.h"
#include "engine/state_node.h"

struct build {
    struct arena *arena;
    const struct snapshot *snapshot;
    const struct candidate_options *options;
    struct candidate_table *table;
    struct map *pools;  // disruption_pool by name
    struct map *prices; // instance types by "catalogue index/name"
};

// --- pods ----------------------------------------------------------------------------------------
static bool is_deleting(const struct pod *pod)
{
    return pod->meta.deletion_timestamp != 0;
}

static bool is_stateful(const struct pod *pod)
{
    return object_owner((const struct object *)pod, "apps/v1", "StatefulSet") != NULL;
}

static bool is_reschedulable(const struct pod *pod) // DIS-48
{
    return (pod_is_active(pod) || (is_deleting(pod) && is_stateful(pod))) &&
           !pod_owned_by_daemon_set(pod) && !pod_owned_by_node(pod);
}

static double eviction_cost(const struct pod *pod) // DIS-55
{
    double cost = 1.0;
    const char *deletion_cost =
        string_map_get(&pod->meta.annotations, "controller.kubernetes.io/pod-deletion-cost");
    if (deletion_cost != NULL) {
        char *end;
        double value = strtod(deletion_cost, &end);
        if (*deletion_cost != '\0' && *end == '\0')
            cost += value / 134217728.0;
    }
    if (pod->spec.priority.present)
        cost += (double)pod->spec.priority.value / 33554432.0;
    return cost > 10 ? 10 : cost < -10 ? -10 : cost;
}

static bool is_evictable(const struct pod *pod, int64_t now) // LIF-110
{
    static const struct taint disrupted = {
        .key = TAINT_DISRUPTED, .value = "", .effect = "NoSchedule"};
    return pod_is_active(pod) && !tolerations_tolerate(&pod->spec.tolerations, &disrupted) &&
           !pod_owned_by_node(pod) && !pod_do_not_disrupt(pod, now);
}

static bool is_unready(const struct pod *pod)
{
    const struct condition *ready = condition_find(&pod->status.conditions, "Ready");
    return ready != NULL && text_equal(ready->status, "False");
}

// DIS-43 to DIS-45: the message of what blocks the pod's eviction, or NULL.
static const char *budget_blocks(const struct build *build, const struct pod *pod)
{
    const struct pod_disruption_budget *match = NULL;
    for (uint32_t i = 0; i < build->snapshot->objects[KIND_POD_DISRUPTION_BUDGET].count; i++) {
        const struct pod_disruption_budget *budget =
            (const struct pod_disruption_budget *)build->snapshot
                ->objects[KIND_POD_DISRUPTION_BUDGET]
                .items[i];
        if (!text_equal(budget->meta.namespace, pod->meta.namespace) ||
            !label_selector_matches(budget->spec.selector, &pod->meta.labels))
            continue;
        if (match != NULL)
            return arena_format(build->arena,
                                "Eviction does not support multiple PDBs "
                                "(PodDisruptionBudget(s)=[%s/%s %s/%s])",
                                pod->meta.namespace, match->meta.name, pod->meta.namespace,
                                budget->meta.name);
        match = budget;
    }
    if (match == NULL || match->status.disruptions_allowed > 0 ||
        (text_equal(match->spec.unhealthy_pod_eviction_policy, "AlwaysAllow") && is_unready(pod)))
        return NULL;
    return arena_format(build->arena, "Pdb prevents pod evictions (PodDisruptionBudget=[%s/%s])",
                        pod->meta.namespace, match->meta.name);
}

static const char *pods_block(const struct build *build, const struct state_node *state) // 11-13
{
    int64_t now = build->snapshot->time;
    list_for_each (pod, &state->pods)
        if (pod_is_active(*pod) && pod_do_not_disrupt(*pod, now))
            return arena_format(build->arena,
                                "Pod has \"" ANNOTATION_DO_NOT_DISRUPT "\" annotation (Pod=%s/%s)",
                                (*pod)->meta.namespace, (*pod)->meta.name);
    list_for_each (pod, &state->pods) {
        const char *message = is_evictable(*pod, now) ? budget_blocks(build, *pod) : NULL;
        if (message != NULL)
            return message;
    }
    return NULL;
}

// --- one node ------------------------------------------------------------------------------------
static bool is_nominated(const struct snapshot *snapshot, const char *name)
{
    list_for_each (nomination, &snapshot->nominated)
        if (strcmp(nomination->node, name) == 0 && nomination->until > snapshot->time)
            return true;
    return false;
}

static bool is_busy(const struct build *build, const struct node *node)
{
    return build->options->busy != NULL && node != NULL &&
           string_list_has(build->options->busy, node->meta.name);
}

// DIS-32; `*told`: whether the reason is worth an event. NULL: a candidate.
static const char *refusal(const struct build *build, const struct state_node *state, bool *told)
{
    *told = false;
    if (is_busy(build, state->node))
        return "candidate is already being disrupted";
    if (state->claim == NULL)
        return "node isn't managed by karpenter";
    *told = true;
    if (state->node == NULL)
        return "Nodeclaim does not have an associated node";
    if (!state->initialized)
        return "Node isn't initialized";
    if (state->marked_for_deletion)
        return "Node is deleting or marked for deletion";
    if (is_nominated(build->snapshot, state->name))
        return "Node is nominated for a pending pod";
    if (text_equal(string_map_get(&state->node->meta.annotations, ANNOTATION_DO_NOT_DISRUPT),
                   "true"))
        return "Disruption is blocked through the \"" ANNOTATION_DO_NOT_DISRUPT "\" annotation";
    if (state->node_pool == NULL)
        return "Node doesn't have required label (label=" LABEL_NODE_POOL ")";
    if (map_get(build->pools, state->node_pool) == NULL)
        return arena_format(build->arena, "NodePool not found (NodePool=%s)", state->node_pool);
    if (build->options->eventual && state->claim->spec.termination_grace_period.text != NULL)
        return NULL;
    return pods_block(build, state);
}

static bool serves(const struct instance_type_catalog *catalogue, const char *pool)
{
    return catalogue->spec.node_pools.items == NULL ||
           string_list_has(&catalogue->spec.node_pools, pool);
}

static const struct instance_type *find_type(const struct build *build, const char *pool,
                                             const char *name)
{
    const struct instance_type *general = NULL;
    for (uint32_t i = 0; i < build->snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count; i++) {
        const struct instance_type_catalog *catalogue =
            (const struct instance_type_catalog *)build->snapshot
                ->objects[KIND_INSTANCE_TYPE_CATALOG]
                .items[i];
        char *key = arena_format(build->arena, "%u/%s", i, name);
        const struct instance_type *type = map_get(build->prices, key);
        if (type == NULL || !serves(catalogue, pool))
            continue;
        if (catalogue->spec.node_pools.items != NULL)
            return type;
        general = type;
    }
    return general;
}

static int64_t price_of(const struct build *build, const struct state_node *state) // DIS-59
{
    const char *name = string_map_get(state->labels, LABEL_INSTANCE_TYPE);
    const char *zone = string_map_get(state->labels, LABEL_ZONE);
    const char *capacity_type = string_map_get(state->labels, LABEL_CAPACITY_TYPE);
    const struct instance_type *type =
        name != NULL ? find_type(build, state->node_pool, name) : NULL;
    if (type == NULL)
        return 0;
    list_for_each (offering, &type->offerings)
        if (text_equal(requirement_single_value(&offering->requirements, LABEL_ZONE), zone) &&
            text_equal(requirement_single_value(&offering->requirements, LABEL_CAPACITY_TYPE),
                       capacity_type))
            return offering->price;
    return 0;
}

static void add_candidate(struct build *build, const struct state_node *state)
{
    struct disruption_candidate candidate = {.node = state->node,
                                             .claim = state->claim,
                                             .pool = map_get(build->pools, state->node_pool),
                                             .cost = 1.0,
                                             .price = price_of(build, state)};
    list_for_each (pod, &state->pods) {
        if (!is_reschedulable(*pod))
            continue;
        double cost = eviction_cost(*pod);
        candidate.reschedulable++;
        candidate.cost += cost > 0 ? cost : 0;
    }
    candidate.empty = candidate.cost <= 1.0;
    build->table->candidates.items[build->table->candidates.count++] = candidate;
}

// --- pools ---------------------------------------------------------------------------------------
static int by_pool_name(const void *a, const void *b)
{
    return strcmp((*(const struct node_pool *const *)a)->meta.name,
                  (*(const struct node_pool *const *)b)->meta.name);
}

static void add_pools(struct build *build)
{
    uint32_t count = build->snapshot->objects[KIND_NODE_POOL].count;
    const struct node_pool **pools = arena_allocate_array(build->arena, count + 1, sizeof *pools);
    for (uint32_t i = 0; i < count; i++)
        pools[i] = (const struct node_pool *)build->snapshot->objects[KIND_NODE_POOL].items[i];
    qsort(pools, count, sizeof *pools, by_pool_name);
    struct candidate_table *table = build->table;
    table->pools.items = arena_allocate_array(build->arena, count + 1, sizeof *table->pools.items);
    for (uint32_t i = 0; i < count; i++) {
        table->pools.items[i].pool = pools[i];
        map_set(build->pools, pools[i]->meta.name, &table->pools.items[i]);
    }
    table->pools.count = count;
}

static void count_node(struct build *build, const struct state_node *state) // DIS-125, DIS-126
{
    struct disruption_pool *pool =
        state->node_pool != NULL ? map_get(build->pools, state->node_pool) : NULL;
    if (pool == NULL || state->claim == NULL || !state->initialized ||
        condition_is_true(&state->claim->status.conditions, "InstanceTerminating"))
        return;
    pool->total++;
    bool ready = state->node != NULL && condition_is_true(&state->node->status.conditions, "Ready");
    if (state->marked_for_deletion || is_busy(build, state->node) || !ready)
        pool->disrupting++;
}

static void apply_budgets(struct build *build)
{
    list_for_each (pool, &build->table->pools) {
        struct error error = {0};
        if (!budgets_allowed(pool->pool, build->options->reason, pool->total, build->snapshot->time,
                             &pool->allowed, &error))
            pool->budget_error =
                arena_format(build->arena, "invalid disruption budgets in nodepool %s, %s",
                             pool->pool->meta.name, error.message);
        pool->remaining = pool->allowed - pool->disrupting;
        if (pool->remaining < 0)
            pool->remaining = 0;
    }
}

// --- the table
// -------------------------------------------------------------------------------------- DIS-61,
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

static void index_types(struct build *build)
{
    for (uint32_t i = 0; i < build->snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count; i++) {
        const struct instance_type_catalog *catalogue =
            (const struct instance_type_catalog *)build->snapshot
                ->objects[KIND_INSTANCE_TYPE_CATALOG]
                .items[i];
        list_for_each (type, &catalogue->spec.instance_types)
            map_set(build->prices, arena_format(build->arena, "%u/%s", i, type->name), type);
    }
}

struct candidate_table candidates_build(struct arena *arena, const struct snapshot *snapshot,
                                        const struct candidate_options *options)
{
    struct candidate_table table = {0};
    struct build build = {.arena = arena,
                          .snapshot = snapshot,
                          .options = options,
                          .table = &table,
                          .pools = map_create(),
                          .prices = map_create()};
    struct state_nodes states = state_nodes_build(arena, snapshot);
    add_pools(&build);
    index_types(&build);
    table.candidates.items =
        arena_allocate_array(arena, states.count + 1, sizeof *table.candidates.items);
    table.blocks.items = arena_allocate_array(arena, states.count + 1, sizeof *table.blocks.items);
    for (uint32_t i = 0; i < states.count; i++) {
        const struct state_node *state = &states.items[i];
        bool told;
        count_node(&build, state);
        const char *message = refusal(&build, state, &told);
        if (message == NULL)
            add_candidate(&build, state);
        else if (told)
            table.blocks.items[table.blocks.count++] =
                (struct disruption_block){state->node, state->claim, message};
    }
    apply_budgets(&build);
    qsort(table.candidates.items, table.candidates.count, sizeof *table.candidates.items, by_merit);
    state_nodes_free(&states);
    map_destroy(build.pools, NULL);
    map_destroy(build.prices, NULL);
    return table;
}
