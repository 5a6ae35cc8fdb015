#include "control/nodepool/pool_counter.h"

#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "base/quantity.h"
#include "control/nodepool/pool_controller.h"
#include "control/runtime/control.h"
#include "control/state/cluster.h"
#include "control/state/cluster_sync.h"
#include "control/state/state_node.h"
#include "model/schema/encode.h"
#include "reconcile/operations.h"

#define PERIOD_NS   (5 * SECOND)
#define UNSYNCED_NS SECOND

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

struct pool_controller *pool_counter_create(struct control *control)
{
    return pool_controller_create(control, "nodepool.counter", reconcile, false);
}

struct usage {
    VECTOR(struct resource_quantity) items; // sorted by name
    int64_t nodes;
};

static void usage_add(struct usage *usage, const char *name, int64_t value)
{
    uint32_t place = 0;
    while (place < usage->items.count && strcmp(usage->items.items[place].name, name) < 0)
        place++;
    if (place < usage->items.count && strcmp(usage->items.items[place].name, name) == 0) {
        usage->items.items[place].value = quantity_add(usage->items.items[place].value, value);
        return;
    }
    vector_push(&usage->items, (struct resource_quantity){0});
    memmove(&usage->items.items[place + 1], &usage->items.items[place],
            (usage->items.count - 1 - place) * sizeof *usage->items.items);
    usage->items.items[place] = (struct resource_quantity){name, value};
}

static void count(const struct control *control, struct arena *arena, const char *pool,
                  struct usage *usage)
{
    static const char *const base[] = {"cpu", "memory", "pods", "ephemeral-storage"};
    for (size_t i = 0; i < ARRAY_LENGTH(base); i++)
        usage_add(usage, base[i], 0);
    struct map_entry *position = NULL;
    for (const struct state_node *state;
         (state = cluster_next(control->cluster, &position)) != NULL;) {
        if (state_marked(state) || !text_equal(state_pool(state), pool))
            continue;
        struct resource_map capacity = state_capacity(arena, state);
        list_for_each (resource, &capacity)
            usage_add(usage, resource->name, resource->value);
        usage->nodes++;
    }
    usage_add(usage, "nodes", usage->nodes);
}

static bool same(const struct usage *usage, const struct node_pool *pool)
{
    const struct resource_map *resources = &pool->status.resources;
    if (resources->count != usage->items.count || pool->status.nodes != usage->nodes)
        return false;
    for (uint32_t i = 0; i < resources->count; i++)
        if (strcmp(resources->items[i].name, usage->items.items[i].name) != 0 ||
            resources->items[i].value != usage->items.items[i].value)
            return false;
    return true;
}

static void observe(struct metric *metric, const char *pool, const char *resource, int64_t value)
{
    char type[128];
    snprintf(type, sizeof type, "%s", resource);
    for (char *c = type; *c != '\0'; c++)
        *c = *c == '-' ? '_' : (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    bool is_cpu = strcmp(resource, "cpu") == 0;
    metric_set(metric, is_cpu ? (double)value / 1000 : (double)value, type, pool);
}

static void forget_metrics(const struct control *control, const char *pool)
{
    metric_remove_matching(control->metrics.pool_limit, "nodepool", pool);
    metric_remove_matching(control->metrics.pool_usage, "nodepool", pool);
}

static void write_metrics(const struct control *control, const struct node_pool *pool,
                          const struct usage *usage)
{
    forget_metrics(control, pool->meta.name); // a limit may have been removed
    list_for_each (limit, &pool->spec.limits)
        observe(control->metrics.pool_limit, pool->meta.name, limit->name, limit->value);
    for (uint32_t i = 0; i < usage->items.count; i++)
        observe(control->metrics.pool_usage, pool->meta.name, usage->items.items[i].name,
                usage->items.items[i].value);
}

// A merge patch removes a resource from status only by an explicit null.
static json_t *resources_patch(const struct usage *usage, const struct node_pool *pool)
{
    struct resource_map map = {usage->items.items, usage->items.count};
    json_t *patch = resource_map_encode(&map);
    list_for_each (resource, &pool->status.resources)
        if (json_object_get(patch, resource->name) == NULL)
            json_object_set_new(patch, resource->name, json_null());
    return patch;
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct control *control = ((struct pool_controller *)context)->control;
    const struct node_pool *pool = find_pool(control, work_item_key(item));
    (void)error;
    if (pool == NULL || !managed_pool(control, pool)) {
        forget_metrics(control, work_item_key(item));
        return reconcile_done();
    }
    if (!cluster_synced(control->cluster))
        return reconcile_after(UNSYNCED_NS);
    struct arena *arena CLEANUP_ARENA = arena_create(16 * 1024);
    struct usage usage = {0};
    count(control, arena, pool->meta.name, &usage);
    control_metrics_begin_pool(&control->metrics, pool->meta.name);
    if (!control->manager.settings->disable_cluster_state_observability) // LIF-357
        write_metrics(control, pool, &usage);
    struct reconcile_result result = reconcile_after(PERIOD_NS);
    if (!same(&usage, pool)) {
        json_t *body = json_pack("{s:{s:o, s:I}}", "status", "resources",
                                 resources_patch(&usage, pool), "nodes", (json_int_t)usage.nodes);
        result = start_patch_status(&(struct operation_about){.manager = &control->manager,
                                                              .item = item,
                                                              .doing = "updating usage"},
                                    (const struct object *)pool, body);
    }
    vector_free(&usage.items);
    return result;
}
