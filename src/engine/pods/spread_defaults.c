#include "engine/pods/spread_defaults.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/problem/asked_keys.h"
#include "model/reading/scheduler_config.h"
#include "model/schema/object.h"

struct spread_defaults {
    struct topology_spread_constraint *items; // without selector
    uint32_t count;
};

void spread_defaults_read(struct problem *problem)
{
    struct scheduler_config config;
    if (!scheduler_config_read(problem->settings->scheduler_config, problem->arena, &config,
                               &problem->error) ||
        config.default_constraints.count == 0)
        return;
    struct spread_defaults *defaults = arena_allocate(problem->arena, sizeof *defaults);
    defaults->items = config.default_constraints.items;
    defaults->count = config.default_constraints.count;
    for (uint32_t i = 0; i < defaults->count; i++)
        problem_ask_key(problem,
                        vocabulary_key(problem->vocabulary, defaults->items[i].topology_key));
    problem->topology.spread_defaults = defaults;
}

// --- the deduced selector (SCH-172) --------------------------------------------------------------

static const struct object *find_owner(const struct problem *problem, enum kind_id kind,
                                       const struct pod *pod, const struct owner_reference *owner)
{
    for (uint32_t i = 0; i < problem->snapshot->objects[kind].count; i++) {
        const struct object *object = problem->snapshot->objects[kind].items[i];
        if (text_equal(object->meta.namespace, pod->meta.namespace) &&
            text_equal(object->meta.name, owner->name))
            return object;
    }
    return NULL;
}

static const struct owner_reference *controller_of(const struct pod *pod)
{
    return object_controller_owner((const struct object *)pod);
}

static void put_label(struct string_map *labels, const char *key, const char *value)
{
    list_for_each (pair, labels)
        if (strcmp(pair->key, key) == 0) {
            pair->value = value;
            return;
        }
    uint32_t at = labels->count++; // sorted by key
    for (; at > 0 && strcmp(labels->items[at - 1].key, key) > 0; at--)
        labels->items[at] = labels->items[at - 1];
    labels->items[at] = (struct string_pair){key, value};
}

static bool selects(const struct string_map *selector, const struct string_map *labels)
{
    list_for_each (pair, selector) {
        const char *value = string_map_get(labels, pair->key);
        if (value == NULL || strcmp(value, pair->value) != 0)
            return false;
    }
    return true;
}

// Services by name, as the API lists them.
static void add_services(struct problem *problem, const struct pod *pod, struct string_map *labels)
{
    uint32_t count = problem->snapshot->objects[KIND_SERVICE].count;
    const struct object **sorted = memory_allocate_array(count + 1, sizeof *sorted);
    if (count > 0)
        memcpy(sorted, problem->snapshot->objects[KIND_SERVICE].items, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, object_compare_names);
    for (uint32_t i = 0; i < count; i++) {
        const struct service *service = (const struct service *)sorted[i];
        if (service->spec.selector.items == NULL ||
            !text_equal(service->meta.namespace, pod->meta.namespace) ||
            !selects(&service->spec.selector, &pod->meta.labels))
            continue;
        list_for_each (pair, &service->spec.selector)
            put_label(labels, pair->key, pair->value);
    }
    free(sorted);
}

static void add_expression(struct problem *problem, requirement_list *expressions, const char *key,
                           const char *value)
{
    struct selector_requirement *out = &expressions->items[expressions->count++];
    *out = (struct selector_requirement){.key = key, .operator= "In" };
    out->values.items = arena_allocate_array(problem->arena, 1, sizeof(char *));
    out->values.items[0] = value;
    out->values.count = 1;
}

static const struct label_selector *owner_selector(const struct problem *problem,
                                                   const struct pod *pod,
                                                   const struct owner_reference *owner)
{
    if (!text_equal(owner->api_version, "apps/v1"))
        return NULL;
    bool replica_set = text_equal(owner->kind, "ReplicaSet");
    if (!replica_set && !text_equal(owner->kind, "StatefulSet"))
        return NULL;
    const struct object *object =
        find_owner(problem, replica_set ? KIND_REPLICA_SET : KIND_STATEFUL_SET, pod, owner);
    if (object == NULL)
        return NULL;
    return replica_set ? ((const struct replica_set *)object)->spec.selector
                       : ((const struct stateful_set *)object)->spec.selector;
}

static const struct label_selector *deduce(struct problem *problem, const struct pod *pod)
{
    const struct owner_reference *owner = controller_of(pod);
    const struct label_selector *own = owner != NULL ? owner_selector(problem, pod, owner) : NULL;
    uint32_t room = 1;
    for (uint32_t i = 0; i < problem->snapshot->objects[KIND_SERVICE].count; i++)
        room += ((const struct service *)problem->snapshot->objects[KIND_SERVICE].items[i])
                    ->spec.selector.count;
    const struct replication_controller *controller = NULL;
    if (owner != NULL && text_equal(owner->kind, "ReplicationController"))
        controller = (const struct replication_controller *)find_owner(
            problem, KIND_REPLICATION_CONTROLLER, pod, owner);
    if (controller != NULL)
        room += controller->spec.selector.count;
    struct label_selector *selector = arena_allocate(problem->arena, sizeof *selector);
    selector->match_labels.items =
        arena_allocate_array(problem->arena, room, sizeof *selector->match_labels.items);
    add_services(problem, pod, &selector->match_labels);
    if (controller != NULL)
        list_for_each (pair, &controller->spec.selector)
            put_label(&selector->match_labels, pair->key, pair->value);
    if (own != NULL) {
        selector->match_expressions.items = arena_allocate_array(
            problem->arena, own->match_labels.count + own->match_expressions.count + 1,
            sizeof *selector->match_expressions.items);
        list_for_each (pair, &own->match_labels)
            add_expression(problem, &selector->match_expressions, pair->key, pair->value);
        list_for_each (expression, &own->match_expressions)
            selector->match_expressions.items[selector->match_expressions.count++] = *expression;
    }
    assert(selector->match_labels.count < room);
    bool nothing = selector->match_labels.count == 0 && selector->match_expressions.count == 0;
    return nothing ? NULL : selector; // SCH-173
}

void spread_defaults_apply(struct problem *problem, struct pod_class *class)
{
    const struct spread_defaults *defaults = problem->topology.spread_defaults;
    if (defaults == NULL || defaults->count == 0 || class->spreads.count > 0)
        return;
    const struct label_selector *selector = deduce(problem, class->sample);
    if (selector == NULL)
        return;
    struct topology_spread_constraint *items =
        arena_allocate_array(problem->arena, defaults->count, sizeof *items);
    for (uint32_t i = 0; i < defaults->count; i++) {
        items[i] = defaults->items[i];
        items[i].label_selector = (struct label_selector *)(uintptr_t)selector;
    }
    class->spreads.items = items;
    class->spreads.count = defaults->count;
}

// --- classes -------------------------------------------------------------------------------------

static void read_labels(struct symbols *keys, const struct string_map *labels)
{
    list_for_each (pair, labels)
        symbols_intern(keys, pair->key);
}

static void read_selector(struct symbols *keys, const struct label_selector *selector)
{
    if (selector == NULL)
        return;
    read_labels(keys, &selector->match_labels);
    list_for_each (expression, &selector->match_expressions)
        symbols_intern(keys, expression->key);
}

void spread_defaults_read_selectors(struct problem *problem, struct symbols *keys)
{
    if (problem->topology.spread_defaults == NULL)
        return;
    const struct snapshot *snapshot = problem->snapshot;
    for (uint32_t i = 0; i < snapshot->objects[KIND_SERVICE].count; i++)
        read_labels(
            keys,
            &((const struct service *)snapshot->objects[KIND_SERVICE].items[i])->spec.selector);
    for (uint32_t i = 0; i < snapshot->objects[KIND_REPLICATION_CONTROLLER].count; i++)
        read_labels(keys, &((const struct replication_controller *)snapshot
                                ->objects[KIND_REPLICATION_CONTROLLER]
                                .items[i])
                               ->spec.selector);
    for (uint32_t i = 0; i < snapshot->objects[KIND_REPLICA_SET].count; i++)
        read_selector(keys,
                      ((const struct replica_set *)snapshot->objects[KIND_REPLICA_SET].items[i])
                          ->spec.selector);
    for (uint32_t i = 0; i < snapshot->objects[KIND_STATEFUL_SET].count; i++)
        read_selector(keys,
                      ((const struct stateful_set *)snapshot->objects[KIND_STATEFUL_SET].items[i])
                          ->spec.selector);
}
