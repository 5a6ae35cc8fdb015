#include "engine/forecast/forecast_result.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static void add_nodes(struct forecast *forecast, const struct cluster_cost *cost,
                      const struct map *changed, bool all)
{
    list_for_each (line, &cost->nodes) {
        const struct forecast_node *change = map_get(changed, line->name);
        if (change == NULL && !all)
            continue;
        struct forecast_node *node = &forecast->nodes.items[forecast->nodes.count++];
        *node = change != NULL ? *change : (struct forecast_node){.fate = NODE_STAYS};
        node->name = line->name;
        node->node_pool = line->node_pool;
        node->type = line->type;
        node->zone = line->zone;
        node->capacity_type = line->capacity_type;
        node->pods = line->pods;
        node->price = line->price;
    }
}

static int by_fate_and_name(const void *a, const void *b)
{
    const struct forecast_node *x = a, *y = b;
    return x->fate != y->fate ? (x->fate < y->fate ? -1 : 1) : strcmp(x->name, y->name);
}

static void list_nodes(struct forecast *forecast, const struct map *born, const struct map *gone)
{
    uint32_t most = forecast->before.nodes.count + forecast->after.nodes.count;
    forecast->nodes.items =
        arena_allocate_array(forecast->arena, most + 1, sizeof *forecast->nodes.items);
    add_nodes(forecast, &forecast->before, gone, false);
    add_nodes(forecast, &forecast->after, born, true);
    qsort(forecast->nodes.items, forecast->nodes.count, sizeof *forecast->nodes.items,
          by_fate_and_name);
}

static int by_pod(const void *a, const void *b)
{
    const struct object *x = (const struct object *)((const struct forecast_move *)a)->pod;
    const struct object *y = (const struct object *)((const struct forecast_move *)b)->pod;
    return object_compare_names(&x, &y);
}

static void list_moves(struct forecast *forecast, const struct snapshot *snapshot)
{
    struct map *places = map_create();
    char name[600];
    const struct snapshot *end = forecast->end;
    for (uint32_t i = 0; i < end->objects[KIND_POD].count; i++) {
        object_namespaced_name(end->objects[KIND_POD].items[i], name);
        map_set(places, name, (struct object *)(uintptr_t)end->objects[KIND_POD].items[i]);
    }
    forecast->moves.items = arena_allocate_array(
        forecast->arena, snapshot->objects[KIND_POD].count + 1, sizeof *forecast->moves.items);
    for (uint32_t i = 0; i < snapshot->objects[KIND_POD].count; i++) {
        const struct pod *pod = (const struct pod *)snapshot->objects[KIND_POD].items[i];
        object_namespaced_name((const struct object *)pod, name);
        const struct pod *then = map_get(places, name);
        const char *from = text_is_empty(pod->spec.node_name) ? NULL : pod->spec.node_name;
        const char *to =
            then == NULL || text_is_empty(then->spec.node_name) ? NULL : then->spec.node_name;
        if (then != NULL && !text_equal(from, to))
            forecast->moves.items[forecast->moves.count++] = (struct forecast_move){pod, from, to};
    }
    map_destroy(places, NULL);
    qsort(forecast->moves.items, forecast->moves.count, sizeof *forecast->moves.items, by_pod);
}

bool forecast_result_find(struct forecast *forecast, const struct snapshot *snapshot,
                          const struct map *born, const struct map *gone, struct error *error)
{
    if (!cluster_cost_find(forecast->arena, snapshot, &forecast->before, error) ||
        !cluster_cost_find(forecast->arena, forecast->end, &forecast->after, error))
        return false;
    list_nodes(forecast, born, gone);
    list_moves(forecast, snapshot);
    return true;
}
