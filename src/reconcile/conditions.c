#include "reconcile/conditions.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "base/text.h"
#include "model/schema/core.h"
#include "model/schema/karpenter.h"

static const enum condition_type node_claim_dependents[] = {
    CONDITION_LAUNCHED, CONDITION_REGISTERED, CONDITION_INITIALIZED, CONDITION_READY};
static const enum condition_type node_pool_dependents[] = {
    CONDITION_VALIDATION_SUCCEEDED, CONDITION_NODE_CLASS_READY, CONDITION_READY};
static const enum condition_type node_overlay_dependents[] = {CONDITION_VALIDATION_SUCCEEDED,
                                                              CONDITION_READY};

static const enum condition_type *dependents_of(const struct object *object)
{
    if (object->kind->id == KIND_NODE_CLAIM)
        return node_claim_dependents;
    if (object->kind->id == KIND_NODE_POOL)
        return node_pool_dependents;
    return object->kind->id == KIND_NODE_OVERLAY ? node_overlay_dependents : NULL;
}

static struct condition *find(const struct conditions *conditions, enum condition_type type)
{
    const char *name = condition_name(type);
    for (uint32_t i = 0; i < conditions->items.count; i++)
        if (strcmp(conditions->items.items[i].type, name) == 0)
            return &conditions->items.items[i];
    return NULL;
}

static bool is_dependent(const struct conditions *conditions, const char *type)
{
    const enum condition_type *dependent = conditions->dependents;
    for (; dependent != NULL && *dependent != CONDITION_READY; dependent++)
        if (strcmp(condition_name(*dependent), type) == 0)
            return true;
    return false;
}

static bool is_status(const char *status)
{
    return text_equal(status, "True") || text_equal(status, "False") ||
           text_equal(status, "Unknown");
}

static bool is_root(const struct conditions *conditions, const char *type)
{
    return conditions->dependents != NULL && strcmp(type, condition_name(CONDITION_READY)) == 0;
}

// LIF-14: by transition time, the root last; stable.
static void sort(struct conditions *conditions)
{
    struct condition *items = conditions->items.items;
    for (uint32_t i = 1; i < conditions->items.count; i++) {
        struct condition moving = items[i];
        uint32_t place = i;
        while (place > 0 &&
               (is_root(conditions, items[place - 1].type) ||
                (!is_root(conditions, moving.type) &&
                 items[place - 1].last_transition_time > moving.last_transition_time))) {
            items[place] = items[place - 1];
            place--;
        }
        items[place] = moving;
    }
}

static void add_missing(struct conditions *conditions, enum condition_type type)
{
    if (find(conditions, type) != NULL)
        return;
    conditions->changed = true;
    vector_push(&conditions->items,
                (struct condition){
                    .type = condition_name(type),
                    .status = "Unknown",
                    .reason = condition_reason_name(CONDITION_REASON_AWAITING_RECONCILIATION),
                    .message = "object is awaiting reconciliation",
                    .last_transition_time = conditions->created,
                    .observed_generation = conditions->generation});
}

void conditions_read(struct conditions *conditions, struct arena *arena,
                     const struct object *object, const condition_list *list, int64_t now)
{
    conditions_read_with(conditions, arena, object, list, now, dependents_of(object));
}

void conditions_read_with(struct conditions *conditions, struct arena *arena,
                          const struct object *object, const condition_list *list, int64_t now,
                          const enum condition_type *dependents)
{
    assert(arena != NULL);
    assert(list != NULL);
    *conditions =
        (struct conditions){.arena = arena,
                            .kind = object->kind->id,
                            .dependents = dependents,
                            .generation = object->meta.generation,
                            .created = ns_truncate(object->meta.creation_timestamp, SECOND),
                            .now = ns_truncate(now, SECOND),
                            .deleting = object->meta.deletion_timestamp != 0};
    for (uint32_t i = 0; i < list->count; i++)
        vector_push(&conditions->items, list->items[i]);
    const enum condition_type *dependent = conditions->dependents;
    for (; dependent != NULL && *dependent != CONDITION_READY; dependent++)
        add_missing(conditions, *dependent);
    if (conditions->dependents != NULL)
        add_missing(conditions, CONDITION_READY);
    assert(conditions->items.count >= list->count);
    sort(conditions);
}

void conditions_free(struct conditions *conditions)
{
    vector_free(&conditions->items);
}

// Whether a write is due: compares the texts as the API would.
static bool same_text(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

static bool set_one(struct conditions *conditions, enum condition_type type, const char *status,
                    const char *reason, const char *message)
{
    assert(status != NULL);
    struct condition *condition = find(conditions, type);
    if (condition != NULL && same_text(condition->status, status) &&
        same_text(condition->reason, reason) && same_text(condition->message, message) &&
        condition->observed_generation == conditions->generation)
        return false;
    if (condition == NULL) {
        vector_push(&conditions->items, (struct condition){0});
        condition = &conditions->items.items[conditions->items.count - 1];
        condition->type = condition_name(type);
    }
    if (!same_text(condition->status, status))
        condition->last_transition_time =
            ns_add(conditions->now, conditions->orders_transitions ? ++conditions->sets : 0);
    assert(condition->type != NULL);
    condition->status = arena_copy_string(conditions->arena, status);
    condition->reason = arena_copy_string(conditions->arena, reason);
    condition->message = arena_copy_string(conditions->arena, message);
    condition->observed_generation = conditions->generation;
    conditions->changed = true;
    return true;
}

// AWN-35: of conditions with one transition time, those that are still Unknown are named in their
// own order.
static void put_untouched_in_order(const struct condition **items, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const struct condition *moving = items[i];
        uint32_t place = i;
        while (place > 0 && same_text(moving->status, "Unknown") &&
               same_text(items[place - 1]->status, "Unknown") &&
               items[place - 1]->last_transition_time == moving->last_transition_time) {
            items[place] = items[place - 1];
            place--;
        }
        items[place] = moving;
    }
}

// LIF-13.
static void update_root(struct conditions *conditions)
{
    if (conditions->dependents == NULL)
        return;
    bool any_false = false;
    VECTOR(const struct condition *) unhealthy = {0};
    for (uint32_t i = conditions->items.count; i-- > 0;) { // latest transition first
        const struct condition *condition = &conditions->items.items[i];
        if (!is_dependent(conditions, condition->type))
            continue;
        bool current = condition->observed_generation == conditions->generation;
        if (same_text(condition->status, "True") && current)
            continue;
        any_false = any_false || (current && same_text(condition->status, "False"));
        vector_push(&unhealthy, condition);
    }
    if (conditions->orders_transitions)
        put_untouched_in_order(unhealthy.items, unhealthy.count);
    struct text message = {0};
    for (uint32_t i = 0; i < unhealthy.count; i++) {
        text_join(&message, ", ", unhealthy.items[i]->type);
        text_format(&message, "=%s", unhealthy.items[i]->status);
    }
    if (unhealthy.count == 0)
        set_one(conditions, CONDITION_READY, "True", condition_name(CONDITION_READY), "");
    else
        set_one(conditions, CONDITION_READY, any_false ? "False" : "Unknown",
                condition_reason_name(any_false ? CONDITION_REASON_UNHEALTHY_DEPENDENTS
                                                : CONDITION_REASON_RECONCILING_DEPENDENTS),
                message.data);
    text_free(&message);
    vector_free(&unhealthy);
}

// LIF-15: deletion raises the generation and changes nothing else.
static void raise_generation(struct conditions *conditions)
{
    for (uint32_t i = 0; i < conditions->items.count; i++)
        if (conditions->items.items[i].observed_generation != conditions->generation) {
            conditions->items.items[i].observed_generation = conditions->generation;
            conditions->changed = true;
        }
}

bool conditions_set_named(struct conditions *conditions, enum condition_type type,
                          const char *status, const char *reason, const char *message)
{
    const char *name = condition_name(type);
    assert(is_status(status));
    assert(!is_root(conditions, name));
    assert(condition_is_of(type, conditions->kind));
    bool changed = set_one(conditions, type, status, reason != NULL ? reason : name,
                           message != NULL ? message : "");
    if (changed && conditions->deleting)
        raise_generation(conditions);
    sort(conditions);
    if (is_dependent(conditions, name) || conditions->deleting)
        update_root(conditions);
    sort(conditions);
    assert(conditions_are(conditions, type, status));
    assert(!changed || conditions->changed);
    return changed;
}

bool conditions_set(struct conditions *conditions, enum condition_type type, const char *status,
                    enum condition_reason reason, const char *message)
{
    assert(condition_reason_is_of(reason, type));
    return conditions_set_named(conditions, type, status, condition_reason_name(reason), message);
}

bool conditions_set_true(struct conditions *conditions, enum condition_type type)
{
    return conditions_set_named(conditions, type, "True", condition_name(type), "");
}

static int by_type(const void *a, const void *b)
{
    return strcmp(((const struct condition *)a)->type, ((const struct condition *)b)->type);
}

bool conditions_clear(struct conditions *conditions, enum condition_type type)
{
    struct condition *condition = find(conditions, type);
    if (condition == NULL || is_dependent(conditions, condition->type) ||
        is_root(conditions, condition->type))
        return false;
    uint32_t index = (uint32_t)(condition - conditions->items.items);
    assert(index < conditions->items.count);
    uint32_t after = conditions->items.count - index - 1;
    memmove(condition, condition + 1, after * sizeof *condition);
    conditions->items.count--;
    qsort(conditions->items.items, conditions->items.count, sizeof *condition, by_type);
    conditions->changed = true;
    return true;
}

const struct condition *conditions_get(const struct conditions *conditions,
                                       enum condition_type type)
{
    return find(conditions, type);
}

bool conditions_are(const struct conditions *conditions, enum condition_type type,
                    const char *status)
{
    assert(is_status(status));
    const struct condition *condition = find(conditions, type);
    return condition != NULL && same_text(condition->status, status);
}

json_t *conditions_encode(const struct conditions *conditions)
{
    json_t *list = json_array();
    char time[INSTANT_TEXT_MAX];
    for (uint32_t i = 0; i < conditions->items.count; i++) {
        const struct condition *condition = &conditions->items.items[i];
        instant_format(condition->last_transition_time, time);
        json_t *entry = json_pack(
            "{s:s, s:s, s:s, s:s, s:s}", "type", condition->type, "status", condition->status,
            "reason", condition->reason != NULL ? condition->reason : "", "message",
            condition->message != NULL ? condition->message : "", "lastTransitionTime", time);
        if (condition->observed_generation != 0)
            json_object_set_new(entry, "observedGeneration",
                                json_integer(condition->observed_generation));
        json_array_append_new(list, entry);
    }
    return list;
}
