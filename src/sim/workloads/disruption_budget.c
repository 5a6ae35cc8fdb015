#include "sim/workloads/disruption_budget.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "model/reading/selector.h"
#include "sim/world/world_write.h"

#define DISRUPTED_TIMEOUT_NS (2 * MINUTE) // after it an eviction without a deletion is forgotten

struct budget {
    char *key;
    json_t *selector;        // of the counts
    struct map *controllers; // uid -> number of matching pods, as uintptr_t
    uint32_t pods, healthy;
};

struct budget_list {
    VECTOR(struct budget *) items;
};

struct budgets {
    struct world *world;
    struct map *by_namespace; // struct budget_list *
    struct work_queue *queue;
};

static void sync_budget(void *context, const char *key);
static void pod_changes(struct budgets *budgets, const struct world_object *pod, int step);
static void budget_enters(struct budgets *budgets, const struct world_object *object);
static void budget_leaves(struct budgets *budgets, const struct world_object *object);
static void queue_namespace(struct budgets *budgets, const char *namespace);

struct budgets *budgets_create(struct world *world)
{
    struct budgets *budgets = memory_allocate(sizeof *budgets);
    budgets->world = world;
    budgets->by_namespace = map_create();
    budgets->queue = work_queue_create(world->loop, 0, sync_budget, budgets);
    return budgets;
}

static void free_budget(struct budget *budget)
{
    map_destroy(budget->controllers, NULL);
    json_decref(budget->selector);
    free(budget->key);
    free(budget);
}

static void free_list(void *value)
{
    struct budget_list *list = value;
    vector_for_each (budget, &list->items)
        free_budget(*budget);
    vector_free(&list->items);
    free(list);
}

void budgets_destroy(struct budgets *budgets)
{
    work_queue_destroy(budgets->queue);
    map_destroy(budgets->by_namespace, free_list);
    free(budgets);
}

void budgets_leave(void *part, struct world_object *object)
{
    struct budgets *budgets = part;
    if (world_is(object, KIND_POD))
        pod_changes(budgets, object, -1);
    else if (world_is(object, KIND_POD_DISRUPTION_BUDGET) && object->gone)
        budget_leaves(budgets, object);
}

void budgets_enter(void *part, struct world_object *object)
{
    struct budgets *budgets = part;
    if (world_is(object, KIND_POD))
        pod_changes(budgets, object, +1);
    else if (world_is(object, KIND_POD_DISRUPTION_BUDGET))
        budget_enters(budgets, object);
    else if (world_is(object, KIND_DEPLOYMENT) || world_is(object, KIND_REPLICA_SET) ||
             world_is(object, KIND_STATEFUL_SET))
        queue_namespace(budgets, object->namespace); // their scale counts
}

// --- counting ------------------------------------------------------------------------------------

static bool is_healthy(const struct world_object *pod)
{
    return world_pod_ready(pod) && !world_is_deleting(pod);
}

static void count_pod(struct budget *budget, const struct world_object *pod, int step)
{
    budget->pods += (uint32_t)step;
    if (is_healthy(pod))
        budget->healthy += (uint32_t)step;
    const char *controller = world_controller_uid(pod);
    if (controller == NULL)
        return; // counts as a pod, but not for any controller's scale
    uintptr_t count = (uintptr_t)map_get(budget->controllers, controller) + (uintptr_t)step;
    if (count == 0)
        map_remove(budget->controllers, controller);
    else
        map_set(budget->controllers, controller, (void *)count);
}

static const struct label_selector *selector_of(const struct budgets *budgets,
                                                const struct budget *budget)
{
    const struct world_object *object =
        world_find_key(budgets->world, KIND_POD_DISRUPTION_BUDGET, budget->key);
    return object == NULL || object->budget == NULL ? NULL : object->budget->spec.selector;
}

static void pod_changes(struct budgets *budgets, const struct world_object *pod, int step)
{
    struct budget_list *list = map_get(budgets->by_namespace, pod->namespace);
    if (list == NULL || pod->pod == NULL)
        return;
    vector_for_each (budget, &list->items) {
        if (!label_selector_matches(selector_of(budgets, *budget), &pod->pod->meta.labels))
            continue;
        count_pod(*budget, pod, step);
        work_queue_add(budgets->queue, (*budget)->key);
    }
}

static struct budget *find_budget(struct budgets *budgets, const struct world_object *object)
{
    struct budget_list *list = map_get(budgets->by_namespace, object->namespace);
    for (uint32_t i = 0; list != NULL && i < list->items.count; i++)
        if (strcmp(list->items.items[i]->key, object->key) == 0)
            return list->items.items[i];
    return NULL;
}

static struct budget *add_budget(struct budgets *budgets, const struct world_object *object)
{
    struct budget_list *list = map_ensure(budgets->by_namespace, object->namespace, sizeof *list);
    struct budget *budget = memory_allocate(sizeof *budget);
    budget->key = memory_copy_string(object->key);
    budget->controllers = map_create();
    vector_push(&list->items, budget);
    return budget;
}

static void count_all(struct budgets *budgets, struct budget *budget,
                      const struct world_object *object)
{
    budget->pods = budget->healthy = 0;
    map_destroy(budget->controllers, NULL);
    budget->controllers = map_create();
    const struct label_selector *selector =
        object->budget == NULL ? NULL : object->budget->spec.selector;
    world_for_each(pod, budgets->world, KIND_POD)
    {
        if (pod->pod != NULL && text_equal(pod->namespace, object->namespace) &&
            label_selector_matches(selector, &pod->pod->meta.labels))
            count_pod(budget, pod, +1);
    }
}

// Most changes are status changes; only a new selector requires a new count.
static void budget_enters(struct budgets *budgets, const struct world_object *object)
{
    struct budget *budget = find_budget(budgets, object);
    json_t *selector = store_path(object->json, "spec.selector");
    bool fresh = budget == NULL;
    if (fresh)
        budget = add_budget(budgets, object);
    if (fresh || !(selector == budget->selector || json_equal(selector, budget->selector))) {
        json_decref(budget->selector);
        budget->selector = json_incref(selector);
        count_all(budgets, budget, object);
    }
    work_queue_add(budgets->queue, budget->key);
}

static void budget_leaves(struct budgets *budgets, const struct world_object *object)
{
    struct budget_list *list = map_get(budgets->by_namespace, object->namespace);
    for (uint32_t i = 0; list != NULL && i < list->items.count; i++) {
        struct budget *budget = list->items.items[i];
        if (strcmp(budget->key, object->key) != 0)
            continue;
        work_queue_forget(budgets->queue, budget->key);
        free_budget(budget);
        list->items.count--;
        memmove(&list->items.items[i], &list->items.items[i + 1],
                (list->items.count - i) * sizeof budget);
        return;
    }
}

static void queue_namespace(struct budgets *budgets, const char *namespace)
{
    struct budget_list *list = map_get(budgets->by_namespace, namespace);
    if (list == NULL)
        return;
    vector_for_each (budget, &list->items)
        work_queue_add(budgets->queue, (*budget)->key);
}

// --- status --------------------------------------------------------------------------------------

struct expectation {
    int64_t expected, desired;
    bool known;
};

static struct expectation expect(const struct budgets *budgets, const struct budget *budget,
                                 const struct pod_disruption_budget *object);
static uint32_t keep_disrupted(const struct budgets *budgets, const struct world_object *object,
                               json_t *status);

static void sync_budget(void *context, const char *key)
{
    struct budgets *budgets = context;
    struct world_object *object = world_find_key(budgets->world, KIND_POD_DISRUPTION_BUDGET, key);
    struct budget *budget = object == NULL ? NULL : find_budget(budgets, object);
    if (budget == NULL || object->budget == NULL)
        return;
    struct expectation expectation = expect(budgets, budget, object->budget);
    json_t *status = world_copy_status(object);
    uint32_t disrupted = keep_disrupted(budgets, object, status);
    int64_t healthy = (int64_t)budget->healthy - disrupted;
    int64_t allowed = healthy - expectation.desired;
    if (!expectation.known || expectation.expected <= 0 || allowed < 0)
        allowed = 0;
    json_object_set_new(status, "currentHealthy", json_integer(healthy));
    json_object_set_new(status, "desiredHealthy", json_integer(expectation.desired));
    json_object_set_new(status, "expectedPods", json_integer(expectation.expected));
    json_object_set_new(status, "disruptionsAllowed", json_integer(allowed));
    json_object_set_new(status, "observedGeneration", json_integer(world_generation(object)));
    world_condition(budgets->world, status, "DisruptionAllowed", allowed > 0 ? "True" : "False",
                    !expectation.known ? "SyncFailed"
                    : allowed > 0      ? "SufficientPods"
                                       : "InsufficientPods",
                    expectation.known ? NULL : "found no controller with a scale for a pod");
    world_set_status(budgets->world, object, status);
}

// Desired replicas of all owners of the pods; a Deployment counts once for all its ReplicaSets.
static bool total_scale(const struct budgets *budgets, const struct budget *budget, int64_t *scale)
{
    struct world *world = budgets->world;
    struct map *counted = map_create();
    bool known = true;
    *scale = 0;
    for (struct map_entry *e = map_first(budget->controllers); e != NULL; e = map_next(e)) {
        struct world_object *owner = map_get(world->by_uid, map_key(e));
        if (owner != NULL && world_is(owner, KIND_REPLICA_SET)) {
            struct world_object *above = world_controller(world, owner, KIND_DEPLOYMENT);
            owner = above != NULL ? above : owner;
        }
        if (owner == NULL ||
            !(world_is(owner, KIND_REPLICA_SET) || world_is(owner, KIND_DEPLOYMENT) ||
              world_is(owner, KIND_STATEFUL_SET) || world_is(owner, KIND_REPLICATION_CONTROLLER))) {
            known = false;
            continue;
        }
        if (map_get(counted, owner->uid) != NULL)
            continue;
        map_set(counted, owner->uid, owner);
        *scale += world_int(owner->json, "spec.replicas", 1);
    }
    map_destroy(counted, NULL);
    return known;
}

static int64_t share_of(const struct int_or_string *value, int64_t total)
{
    if (value->text == NULL)
        return value->number;
    int64_t percent;
    char number[24];
    snprintf(number, sizeof number, "%.*s", (int)strcspn(value->text, "%"), value->text);
    return text_parse_int64(number, &percent) ? (total * percent + 99) / 100 : 0;
}

static struct expectation expect(const struct budgets *budgets, const struct budget *budget,
                                 const struct pod_disruption_budget *object)
{
    const struct int_or_string *minimum = &object->spec.min_available;
    const struct int_or_string *maximum = &object->spec.max_unavailable;
    struct expectation expectation = {.expected = budget->pods, .known = true};
    if (maximum->present) {
        expectation.known = total_scale(budgets, budget, &expectation.expected);
        expectation.desired = expectation.expected - share_of(maximum, expectation.expected);
        if (expectation.desired < 0)
            expectation.desired = 0;
    } else if (minimum->present && minimum->text != NULL) {
        expectation.known = total_scale(budgets, budget, &expectation.expected);
        expectation.desired = share_of(minimum, expectation.expected);
    } else {
        expectation.desired = minimum->present ? minimum->number : 0;
    }
    return expectation;
}

// Pods with a granted eviction that are not being deleted yet count as unhealthy for a while.
// Returns the number of healthy ones; the others leave the list.
static uint32_t keep_disrupted(const struct budgets *budgets, const struct world_object *object,
                               json_t *status)
{
    struct world *world = budgets->world;
    json_t *disrupted = json_object_get(status, "disruptedPods"), *since;
    const char *name;
    void *next;
    uint32_t count = 0;
    json_object_foreach_safe(disrupted, next, name, since)
    {
        const struct world_object *pod = world_find(world, KIND_POD, object->namespace, name);
        int64_t granted = 0;
        bool stale = pod == NULL || world_is_deleting(pod) || !json_is_string(since) ||
                     !instant_parse(json_string_value(since), &granted, NULL) ||
                     ns_add(granted, DISRUPTED_TIMEOUT_NS) <= loop_now_ns(world->loop);
        if (stale) {
            json_object_del(disrupted, name);
            continue;
        }
        count += is_healthy(pod);
        work_queue_add_after(
            budgets->queue, object->key,
            ns_subtract(ns_add(granted, DISRUPTED_TIMEOUT_NS), loop_now_ns(world->loop)));
    }
    if (disrupted != NULL && json_object_size(disrupted) == 0)
        json_object_del(status, "disruptedPods");
    return count;
}
