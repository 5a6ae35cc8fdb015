#include "engine/cost/cluster_cost.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/quantity.h"
#include "base/text.h"
#include "engine/compile/compile.h"
#include "engine/cost/node_shares.h"
#include "engine/disruption/candidate_prices.h"
#include "engine/problem/problem.h"
#include "model/reading/pod.h"
#include "model/reading/pod_workload.h"

struct adder {
    struct arena *arena;
    struct candidate_prices prices;
    struct map *pools;                                // struct disruption_pool by name
    struct map *by_pool, *by_namespace, *by_workload; // struct cost_line
    struct cost_line total;
    LIST(struct cost_node) nodes;
};

// --- prices of nodes -----------------------------------------------------------------------------

static const struct disruption_pool *pool_of(struct adder *adder, const char *name)
{
    struct disruption_pool *pool = name != NULL ? map_get(adder->pools, name) : NULL;
    if (pool != NULL || name == NULL)
        return pool;
    const struct snapshot *snapshot = adder->prices.snapshot;
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE_POOL].count; i++) {
        const struct object *object = snapshot->objects[KIND_NODE_POOL].items[i];
        if (!text_equal(object->meta.name, name))
            continue;
        pool = arena_allocate(adder->arena, sizeof *pool);
        *pool = (struct disruption_pool){.pool = (const struct node_pool *)object};
        candidate_prices_find_types(&adder->prices, pool);
        map_set(adder->pools, name, pool);
    }
    return pool;
}

// Nodes of other managers have a price if some catalog knows their type.
static const struct instance_type *type_in_any_catalog(const struct adder *adder, const char *name)
{
    const struct snapshot *snapshot = adder->prices.snapshot;
    for (uint32_t i = 0; i < snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count; i++) {
        const char *key = arena_format(adder->arena, "%u/%s", i, name);
        const struct instance_type *type = map_get(adder->prices.types, key);
        if (type != NULL)
            return type;
    }
    return NULL;
}

// By the list, and with everything else.
static bool prices_of(const struct candidate_prices *prices, const struct state_node *state,
                      const struct node_pool *pool, const struct instance_type *type,
                      int64_t *price, int64_t *effective)
{
    if (!candidate_prices_price(prices, state, pool, type, price) ||
        !candidate_prices_effective(prices, state, pool, type, effective))
        return false;
    *effective = quantity_add(*effective, prices->terms.allowance);
    return true;
}

static bool price_of(struct adder *adder, const struct state_node *state, int64_t *price,
                     int64_t *effective)
{
    const char *type_name = string_map_get(state->labels, LABEL_INSTANCE_TYPE);
    const struct disruption_pool *pool = pool_of(adder, state->node_pool);
    *price = *effective = 0;
    if (type_name == NULL)
        return false;
    if (pool != NULL)
        return prices_of(&adder->prices, state, pool->pool,
                         candidate_prices_type(&adder->prices, pool, type_name), price, effective);
    struct candidate_prices plain = adder->prices;
    plain.problem = NULL; // overlays are for NodePools
    return prices_of(&plain, state, NULL, type_in_any_catalog(adder, type_name), price, effective);
}

// --- shares --------------------------------------------------------------------------------------

static struct cost_line *line_of(struct adder *adder, struct map *lines, const char *namespace,
                                 const char *name)
{
    const char *key =
        arena_format(adder->arena, "%s %s", text_or_empty(namespace), text_or_empty(name));
    struct cost_line *line = map_get(lines, key);
    if (line != NULL)
        return line;
    line = arena_allocate(adder->arena, sizeof *line);
    *line = (struct cost_line){.namespace = namespace, .name = name};
    map_set(lines, key, line);
    return line;
}

// "Deployment/web"; pods of DaemonSets and Jobs count for those, others for themselves.
static const char *workload_name(struct arena *arena, const struct pod *pod)
{
    struct pod_workload workload;
    if (pod_workload_find(pod, &workload))
        return arena_format(arena, "%s/%.*s", workload.kind, workload.name_length, workload.name);
    list_for_each (owner, &pod->meta.owner_references)
        if (owner->controller)
            return arena_format(arena, "%s/%s", text_or_empty(owner->kind),
                                text_or_empty(owner->name));
    return arena_format(arena, "Pod/%s", pod->meta.name);
}

static void add_pod(struct adder *adder, const struct pod *pod, int64_t share, bool priced)
{
    assert(share >= 0);
    const char *namespace = pod->meta.namespace;
    struct cost_line *lines[] = {
        line_of(adder, adder->by_namespace, NULL, namespace),
        line_of(adder, adder->by_workload, namespace, workload_name(adder->arena, pod))};
    for (size_t i = 0; i < ARRAY_LENGTH(lines); i++) {
        lines[i]->price = quantity_add(lines[i]->price, share);
        lines[i]->pods++;
        lines[i]->unpriced += !priced;
    }
}

// Returns what is left for nobody.
static int64_t share_out(struct adder *adder, const struct state_node *state, int64_t price,
                         bool priced)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    struct node_shares shares =
        node_shares_find(scratch, &state->allocatable, state->pods.items, state->pods.count, price);
    for (uint32_t i = 0; i < state->pods.count; i++)
        add_pod(adder, state->pods.items[i], shares.of_pods[i], priced);
    return shares.idle;
}

static void list_node(struct adder *adder, const struct state_node *state, int64_t price,
                      int64_t idle, bool priced)
{
    struct cost_node *node = &adder->nodes.items[adder->nodes.count++];
    *node = (struct cost_node){.name = state->node != NULL ? state->node->meta.name : state->name,
                               .node_pool = state->node_pool,
                               .type = string_map_get(state->labels, LABEL_INSTANCE_TYPE),
                               .zone = string_map_get(state->labels, LABEL_ZONE),
                               .capacity_type = string_map_get(state->labels, LABEL_CAPACITY_TYPE),
                               .priced = priced,
                               .price = price,
                               .idle = idle};
    list_for_each (pod, &state->pods)
        node->pods += !pod_owned_by_daemon_set(*pod);
}

static void add_node(struct adder *adder, const struct state_node *state)
{
    int64_t price, effective;
    bool priced = price_of(adder, state, &price, &effective);
    int64_t idle = share_out(adder, state, price, priced);
    list_node(adder, state, price, idle, priced);
    struct cost_line *lines[] = {line_of(adder, adder->by_pool, NULL, state->node_pool),
                                 &adder->total};
    for (size_t i = 0; i < ARRAY_LENGTH(lines); i++) {
        lines[i]->nodes++;
        lines[i]->pods += state->pods.count;
        lines[i]->unpriced += !priced;
        lines[i]->price = quantity_add(lines[i]->price, price);
        lines[i]->idle = quantity_add(lines[i]->idle, idle);
        lines[i]->effective = quantity_add(lines[i]->effective, effective);
    }
}

// --- the whole -----------------------------------------------------------------------------------

static int dearest_first(const void *left, const void *right)
{
    const struct cost_line *a = left, *b = right;
    if (a->price != b->price)
        return a->price > b->price ? -1 : 1;
    int by_namespace = strcmp(text_or_empty(a->namespace), text_or_empty(b->namespace));
    return by_namespace != 0 ? by_namespace
                             : strcmp(text_or_empty(a->name), text_or_empty(b->name));
}

static cost_line_list sorted_lines(struct arena *arena, struct map *lines)
{
    cost_line_list list = {0};
    list.items = arena_allocate_array(arena, map_count(lines) + 1, sizeof *list.items);
    for (struct map_entry *entry = map_first(lines); entry != NULL; entry = map_next(entry))
        list.items[list.count++] = *(const struct cost_line *)map_value(entry);
    if (list.count > 1)
        qsort(list.items, list.count, sizeof *list.items, dearest_first);
    return list;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct cost_node *)left)->name, ((const struct cost_node *)right)->name);
}

static void add_nodes(struct adder *adder, const struct problem *problem)
{
    candidate_prices_begin(&adder->prices);
    adder->nodes.items =
        arena_allocate_array(adder->arena, problem->nodes.count + 1, sizeof *adder->nodes.items);
    for (uint32_t i = 0; i < problem->nodes.count; i++)
        add_node(adder, &problem->nodes.items[i]);
    if (adder->nodes.count > 1)
        qsort(adder->nodes.items, adder->nodes.count, sizeof *adder->nodes.items, by_name);
    candidate_prices_free(&adder->prices);
}

bool cluster_cost_find(struct arena *arena, const struct snapshot *snapshot,
                       struct cluster_cost *cost, struct error *error)
{
    struct problem *problem = problem_create(snapshot, arena, true);
    bool compiled = problem->error.kind == ERROR_NONE;
    if (compiled) {
        struct adder adder = {.arena = arena,
                              .prices = {.arena = arena,
                                         .snapshot = snapshot,
                                         .strategy = disruption_strategy_of(&snapshot->settings),
                                         .problem = problem},
                              .pools = map_create(),
                              .by_pool = map_create(),
                              .by_namespace = map_create(),
                              .by_workload = map_create()};
        add_nodes(&adder, problem);
        *cost = (struct cluster_cost){.pools = sorted_lines(arena, adder.by_pool),
                                      .namespaces = sorted_lines(arena, adder.by_namespace),
                                      .workloads = sorted_lines(arena, adder.by_workload),
                                      .total = adder.total};
        cost->nodes.items = adder.nodes.items;
        cost->nodes.count = adder.nodes.count;
        map_destroy(adder.pools, NULL);
        map_destroy(adder.by_pool, NULL);
        map_destroy(adder.by_namespace, NULL);
        map_destroy(adder.by_workload, NULL);
    } else {
        *error = problem->error;
    }
    problem_destroy(problem);
    return compiled;
}
