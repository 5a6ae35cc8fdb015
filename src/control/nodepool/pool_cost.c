#include "control/nodepool/pool_cost.h"

#include <stdlib.h>

#include "base/metrics_text.h"
#include "base/text.h"
#include "control/runtime/control.h"
#include "control/state/cluster.h"
#include "engine/cost/node_shares.h"
#include "engine/disruption/strategy.h"
#include "model/reading/catalog.h"
#include "model/reading/pod.h"

#define NANOUSD 1e9

struct pool_cost {
    struct control *control;
    struct metric *total, *idle, *errors;
};

struct priced_pool {                             // during the summation
    const struct instance_type_catalog *catalog; // a reference
    struct map *types;                           // by name
    int64_t price, idle;
};

static struct priced_pool *priced_pool_create(const struct control *control,
                                              const struct node_pool *pool)
{
    struct error error = {0};
    struct priced_pool *priced = memory_allocate(sizeof *priced);
    priced->catalog = control->cloud->operations->instance_types(control->cloud, pool, &error);
    priced->types = map_create();
    if (priced->catalog != NULL)
        list_for_each (type, &priced->catalog->spec.instance_types)
            map_set(priced->types, type->name, type);
    return priced;
}

static void priced_pool_destroy(void *value)
{
    struct priced_pool *priced = value;
    object_release((const struct object *)priced->catalog);
    map_destroy(priced->types, NULL);
    free(priced);
}

// A NodeClaim has no offering before its launch.
static bool has_offering(const struct object *claim)
{
    return object_label(claim, LABEL_NODE_POOL) != NULL &&
           object_label(claim, LABEL_INSTANCE_TYPE) != NULL &&
           object_label(claim, LABEL_ZONE) != NULL &&
           object_label(claim, LABEL_CAPACITY_TYPE) != NULL;
}

// The part of the price for room that no pod requests; all of it until there is a Node.
static int64_t idle_part(const struct control *control, const struct node_claim *claim,
                         int64_t price)
{
    const struct node *node =
        text_is_empty(claim->status.node_name)
            ? NULL
            : (const struct node *)mirror_get(control->manager.mirror, KIND_NODE, NULL,
                                              claim->status.node_name);
    if (node == NULL)
        return price;
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    const struct pod_list *bound = cluster_pods(control->cluster, node->meta.name);
    const struct pod **pods = arena_allocate_array(scratch, (size_t)bound->count + 1, sizeof *pods);
    uint32_t count = 0;
    for (uint32_t i = 0; i < bound->count; i++)
        if (!pod_is_terminal(bound->items[i]))
            pods[count++] = bound->items[i];
    return node_shares_find(scratch, &node->status.allocatable, pods, count, price).idle;
}

// --- the sum -------------------------------------------------------------------------------------
static void add_claims(const struct pool_cost *cost, const struct map *pools, bool with_idle)
{
    struct mirror_iterator iterator = {0};
    for (const struct object *claim; (claim = mirror_next(cost->control->manager.mirror,
                                                          KIND_NODE_CLAIM, &iterator)) != NULL;) {
        if (!has_offering(claim))
            continue;
        struct priced_pool *priced = map_get(pools, object_label(claim, LABEL_NODE_POOL));
        const struct instance_type *type =
            priced != NULL ? map_get(priced->types, object_label(claim, LABEL_INSTANCE_TYPE))
                           : NULL;
        const struct offering *offering =
            type != NULL
                ? instance_type_offering(
                      type, &claim->meta.labels,
                      disruption_strategy_of(cost->control->manager.settings)->prices_reservations)
                : NULL;
        if (offering == NULL)
            continue;
        priced->price += offering->price;
        if (with_idle)
            priced->idle +=
                idle_part(cost->control, (const struct node_claim *)claim, offering->price);
    }
}

static void collect(void *context, const struct metric *metric, struct text *out)
{
    const struct pool_cost *cost = context;
    if (!cost->control->manager.started)
        return;
    struct map *pools = map_create();
    struct mirror_iterator iterator = {0};
    for (const struct object *pool;
         (pool = mirror_next(cost->control->manager.mirror, KIND_NODE_POOL, &iterator)) != NULL;)
        if (managed_pool(cost->control, (const struct node_pool *)pool))
            map_set(pools, pool->meta.name,
                    priced_pool_create(cost->control, (const struct node_pool *)pool));
    bool with_idle = metric == cost->idle;
    add_claims(cost, pools, with_idle);
    for (struct map_entry *at = map_first(pools); at != NULL; at = map_next(at)) {
        const char *const values[] = {map_key(at)};
        const struct priced_pool *priced = map_value(at);
        metric_emit(metric, out, (double)(with_idle ? priced->idle : priced->price) / NANOUSD,
                    values, ARRAY_LENGTH(values));
    }
    map_destroy(pools, priced_pool_destroy);
}

// --- offerings without price ---------------------------------------------------------------------
static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct pool_cost *cost = context;
    bool known;
    (void)change;
    if (new_object == NULL || !has_offering(new_object) ||
        (old_object != NULL && has_offering(old_object)))
        return;
    const struct node_claim *claim = (const struct node_claim *)new_object;
    const struct node_pool *pool = pool_of_claim(cost->control, claim);
    if (pool == NULL || !managed_pool(cost->control, pool))
        return;
    claim_price(cost->control, claim, &known);
    if (known)
        return;
    log_error("offering price unknown — cost tracking will undercount", "s:controller",
              "state.pricing", "o:NodeClaim", new_object->meta.name, "o:NodePool", pool->meta.name,
              "s:instance-type", object_label(new_object, LABEL_INSTANCE_TYPE), "s:zone",
              object_label(new_object, LABEL_ZONE), "s:capacity-type",
              object_label(new_object, LABEL_CAPACITY_TYPE));
    metric_add(cost->errors, 1, pool->meta.name);
}

struct pool_cost *pool_cost_create(struct control *control)
{
    if (control->manager.settings->disable_cluster_state_observability) // LIF-357
        return NULL;
    struct pool_cost *cost = memory_allocate(sizeof *cost);
    cost->control = control;
    cost->total =
        metrics_register(control->manager.registry,
                         &(struct metric_options){.name = "karpenter_nodepools_cost_total",
                                                  .help = "Price of a NodePool's nodes an hour.",
                                                  .type = METRIC_GAUGE,
                                                  .labels = {"nodepool"}});
    cost->idle = metrics_register(
        control->manager.registry,
        &(struct metric_options){.name = "adze_nodepools_idle_dollars_per_hour",
                                 .help = "Price of the room on a NodePool's nodes that no pod "
                                         "requests.",
                                 .type = METRIC_GAUGE,
                                 .labels = {"nodepool"}});
    cost->errors = metrics_register(
        control->manager.registry,
        &(struct metric_options){.name = "karpenter_nodepools_cost_tracker_errors_total",
                                 .help = "Nodes whose price is not known.",
                                 .type = METRIC_COUNTER,
                                 .labels = {"nodepool"}});
    metric_collect(cost->total, collect, cost);
    metric_collect(cost->idle, collect, cost);
    manager_observe(&control->manager, KIND_NODE_CLAIM, on_claim, cost);
    return cost;
}

void pool_cost_destroy(struct pool_cost *cost)
{
    if (cost == NULL)
        return;
    metric_collect(cost->idle, NULL, NULL);
    metric_collect(cost->total, NULL, NULL); // the registry outlives this object
    free(cost);
}
