#include "engine/forecast/static_price.h"

#include "engine/engine.h"
#include "model/tables/kinds.h"

// A pod that asks for nothing and tolerates everything: it takes the cheapest node.
static struct pod pod_of_nothing(struct toleration *everything)
{
    *everything = (struct toleration){.operator= "Exists" };
    return (struct pod){
        .kind = kind_get(KIND_POD),
        .meta = {.name = "static-node", .namespace = "default", .uid = "static-node"},
        .spec.tolerations = {everything, 1},
    };
}

// The NodePool as if it were an ordinary one that may have any number of nodes.
static struct node_pool without_replicas(const struct node_pool *pool)
{
    struct node_pool copy = *pool;
    copy.spec.replicas.present = false;
    copy.spec.limits = (struct resource_map){0};
    copy.status.conditions.count = 0;
    return copy;
}

bool static_price_find(struct arena *arena, const struct snapshot *snapshot,
                       const struct node_pool *pool, struct static_price *out)
{
    const struct node_pool ordinary = without_replicas(pool);
    struct toleration everything;
    const struct pod pod = pod_of_nothing(&everything);
    const struct object *pools[] = {(const struct object *)&ordinary};
    const struct object *pods[] = {(const struct object *)&pod};
    struct snapshot alone = *snapshot;
    alone.require_unschedulable_condition = false;
    alone.objects[KIND_NODE_POOL].items = pools;
    alone.objects[KIND_NODE_POOL].count = ARRAY_LENGTH(pools);
    alone.objects[KIND_POD].items = pods;
    alone.objects[KIND_POD].count = ARRAY_LENGTH(pods);
    alone.objects[KIND_NODE].count = alone.objects[KIND_NODE_CLAIM].count = 0;
    const struct plan_options options = {0};
    struct error error = {0};
    struct plan *plan = engine_plan(&alone, &options, &error);
    bool found = plan != NULL && plan->claims.count == 1 && plan->claims.items[0].types.count > 0;
    if (found) {
        const struct plan_claim *claim = &plan->claims.items[0];
        out->instance_type = arena_copy_string(arena, claim->types.items[0].instance_type->name);
        out->costs = claim->costs;
    }
    plan_destroy(plan);
    return found;
}
