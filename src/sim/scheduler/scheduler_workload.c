#include "sim/scheduler/scheduler_workload.h"

#include <string.h>

#include "sim/scheduler/scheduler_queue.h"

static void add_services(const struct world *world, const struct world_object *pod,
                         struct arena *arena, struct label_selector *out);
static void add_owner(const struct world *world, const struct world_object *pod,
                      struct arena *arena, struct label_selector *out);

const struct label_selector *scheduler_workload(const struct world *world,
                                                const struct world_object *pod, struct arena *arena)
{
    struct label_selector *selector = arena_allocate(arena, sizeof *selector);
    add_services(world, pod, arena, selector);
    add_owner(world, pod, arena, selector);
    bool empty = selector->match_labels.count == 0 && selector->match_expressions.count == 0;
    return empty ? NULL : selector;
}

// Adds labels; of two with the same key the later wins.
static void add_labels(struct arena *arena, const json_t *labels, struct label_selector *out)
{
    struct string_map *map = &out->match_labels;
    struct string_pair *items =
        arena_allocate_array(arena, map->count + json_object_size(labels), sizeof *items);
    if (map->count > 0)
        memcpy(items, map->items, map->count * sizeof *items);
    map->items = items;
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)labels, key, value) {
        uint32_t i = 0;
        while (i < map->count && strcmp(items[i].key, key) != 0)
            i++;
        items[i] = (struct string_pair){key, json_string_value(value)};
        map->count += i == map->count;
    }
}

static bool selects(const json_t *labels, const struct world_object *pod)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)labels, key, value) {
        if (!text_equal(json_string_value(value), string_map_get(&pod->pod->meta.labels, key)))
            return false;
    }
    return json_object_size(labels) > 0;
}

static void add_services(const struct world *world, const struct world_object *pod,
                         struct arena *arena, struct label_selector *out)
{
    vector_for_each (kind, &world->kinds) {
        if (strcmp((*kind)->resource->plural, "services") != 0)
            continue;
        for (const struct world_object *service = (*kind)->first; service != NULL;
             service = service->kind_next) {
            const json_t *labels = store_path(service->json, "spec.selector");
            if (text_equal(service->namespace, pod->namespace) && selects(labels, pod))
                add_labels(arena, labels, out);
        }
    }
}

static void add_expressions(struct arena *arena, const json_t *expressions,
                            struct label_selector *out)
{
    requirement_list *list = &out->match_expressions;
    list->items = arena_allocate_array(arena, json_array_size(expressions), sizeof *list->items);
    size_t i, j;
    json_t *expression, *value;
    json_array_foreach (expressions, i, expression) {
        struct selector_requirement *rule = &list->items[list->count++];
        const json_t *values = json_object_get(expression, "values");
        rule->key = world_text(expression, "key");
        rule->operator= world_text(expression, "operator");
        rule->values.items =
            arena_allocate_array(arena, json_array_size(values), sizeof *rule->values.items);
        json_array_foreach ((json_t *)values, j, value)
            rule->values.items[rule->values.count++] = json_string_value(value);
    }
}

// Jobs do not take part.
static void add_owner(const struct world *world, const struct world_object *pod,
                      struct arena *arena, struct label_selector *out)
{
    const char *uid = world_controller_uid(pod);
    const struct world_object *owner = uid == NULL ? NULL : map_get(world->by_uid, uid);
    if (owner == NULL)
        return;
    const char *kind = owner->kind->resource->plural;
    const json_t *selector = store_path(owner->json, "spec.selector");
    if (strcmp(kind, "replicationcontrollers") == 0) {
        add_labels(arena, selector, out);
    } else if (strcmp(kind, "replicasets") == 0 || strcmp(kind, "statefulsets") == 0) {
        add_labels(arena, json_object_get(selector, "matchLabels"), out);
        add_expressions(arena, json_object_get(selector, "matchExpressions"), out);
    }
}
