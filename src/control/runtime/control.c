#include "control/runtime/control.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/quantity.h"
#include "model/reading/catalog.h"
#include "model/reading/pod.h"
#include "model/reading/selector.h"

struct reconcile_queue *control_queue(struct control *control,
                                      const struct reconcile_queue_options *options)
{
    struct reconcile_queue *queue =
        reconcile_queue_create(control->loop, &control->queue_metrics, options);
    vector_push(&control->queues, queue);
    return queue;
}

// --- observers -----------------------------------------------------------------------------------
struct observer {
    struct control *control;
    enum kind_id kind;
    mirror_handler handler;
    void *context;
};

static void pass_on(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    const struct observer *observer = context;
    if (observer->control->started)
        observer->handler(observer->context, change, old_object, new_object);
}

void control_observe(struct control *control, enum kind_id kind, mirror_handler handler,
                     void *context)
{
    struct observer *observer = memory_allocate(sizeof *observer);
    *observer = (struct observer){control, kind, handler, context};
    vector_push(&control->observers, observer);
    mirror_on_change(control->mirror, kind, pass_on, observer);
}

void control_lead(struct control *control)
{
    control->started = true;
    for (uint32_t i = 0; i < control->observers.count; i++) {
        const struct observer *observer = control->observers.items[i];
        struct mirror_iterator iterator = {0};
        for (const struct object *object;
             (object = mirror_next(control->mirror, observer->kind, &iterator)) != NULL;)
            observer->handler(observer->context, MIRROR_ADDED, NULL, object);
    }
}

void control_forget_observers(struct control *control)
{
    for (uint32_t i = 0; i < control->observers.count; i++)
        free(control->observers.items[i]);
    vector_free(&control->observers);
}

void forget_object(void *map, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object)
{
    (void)change;
    if (new_object == NULL && old_object->meta.uid != NULL)
        free(map_remove(map, old_object->meta.uid));
}

uint32_t control_scale(const struct control *control, uint32_t minimum, uint32_t maximum)
{
    int64_t cores = (control->settings->cpu_requests_millicores + 999) / 1000;
    if (cores < 1)
        cores = 1;
    if (cores > 60)
        cores = 60;
    return minimum + (uint32_t)((int64_t)(maximum - minimum) * (cores - 1) / 59);
}

int64_t control_now(const struct control *control)
{
    return loop_now_ns(control->loop);
}

// --- whose object it is --------------------------------------------------------------------------
bool managed_reference(const struct control *control, const struct node_class_reference *reference)
{
    return reference != NULL && reference->group != NULL && reference->kind != NULL &&
           control->cloud->operations->serves(control->cloud, reference->group, reference->kind);
}

bool managed_claim(const struct control *control, const struct node_claim *claim)
{
    return managed_reference(control, claim->spec.node_class_ref);
}

bool managed_pool(const struct control *control, const struct node_pool *pool)
{
    return managed_reference(control, pool->spec.template.spec.node_class_ref);
}

bool managed_node(const struct control *control, const struct node *node)
{
    return string_map_get(&node->meta.labels, control->node_class_label) != NULL;
}

bool node_is_unreadable(const struct control *control, const struct node_claim *claim)
{
    return claim->status.node_name != NULL &&
           mirror_is_invalid(control->mirror, KIND_NODE, NULL, claim->status.node_name);
}

const struct node_claim *find_claim(const struct control *control, const char *name)
{
    return (const struct node_claim *)mirror_get(control->mirror, KIND_NODE_CLAIM, NULL, name);
}

const struct node *find_node(const struct control *control, const char *name)
{
    return (const struct node *)mirror_get(control->mirror, KIND_NODE, NULL, name);
}

const struct node_pool *find_pool(const struct control *control, const char *name)
{
    return (const struct node_pool *)mirror_get(control->mirror, KIND_NODE_POOL, NULL, name);
}

const struct node_pool *pool_of_claim(const struct control *control, const struct node_claim *claim)
{
    const char *name = string_map_get(&claim->meta.labels, LABEL_NODE_POOL);
    return name != NULL ? find_pool(control, name) : NULL;
}

int64_t claim_price(const struct control *control, const struct node_claim *claim, bool *known)
{
    const struct node_pool *pool = pool_of_claim(control, claim);
    const struct string_map *labels = &claim->meta.labels;
    struct error error = {0};
    const struct instance_type_catalog *catalog =
        pool != NULL ? control->cloud->operations->instance_types(control->cloud, pool, &error)
                     : NULL;
    const struct instance_type *type =
        catalog != NULL
            ? instance_type_catalog_find(catalog, string_map_get(labels, LABEL_INSTANCE_TYPE))
            : NULL;
    const struct offering *offering =
        type != NULL
            ? instance_type_offering(type, labels, !control->settings->compatibility_upstream)
            : NULL;
    int64_t price = offering != NULL ? offering->price : 0;
    if (known != NULL)
        *known = offering != NULL;
    object_release((const struct object *)catalog);
    return price;
}

const char *label_or_empty(const struct object *object, const char *key)
{
    const char *value = object_label(object, key);
    return value != NULL ? value : "";
}

// --- taints --------------------------------------------------------------------------------------
const struct taint *find_taint(const taint_list *taints, const char *key, const char *effect)
{
    list_for_each (taint, taints)
        if (text_equal(taint->key, key) && text_equal(taint->effect, effect))
            return taint;
    return NULL;
}

void taint_describe(const struct taint *taint, struct text *out)
{
    text_add(out, taint->key);
    if (taint->value != NULL && *taint->value != '\0')
        text_format(out, "=%s", taint->value);
    text_format(out, ":%s", taint->effect != NULL ? taint->effect : "");
}

// --- pods ----------------------------------------------------------------------------------------
const struct pod_disruption_budget *next_budget_of(const struct control *control,
                                                   const struct pod *pod,
                                                   struct mirror_iterator *iterator)
{
    for (const struct object *object;
         (object = mirror_next(control->mirror, KIND_POD_DISRUPTION_BUDGET, iterator)) != NULL;) {
        const struct pod_disruption_budget *budget = (const struct pod_disruption_budget *)object;
        if (budget_covers(budget, &pod->meta))
            return budget;
    }
    return NULL;
}

bool pod_wants_node(const struct pod *pod)
{
    if (pod->spec.node_name != NULL && *pod->spec.node_name != '\0')
        return false;
    if (pod->meta.unreadable != NULL) // whatever it needs
        return false;
    if (pod->status.nominated_node_name != NULL && *pod->status.nominated_node_name != '\0')
        return false;
    bool unschedulable = false;
    list_for_each (condition, &pod->status.conditions)
        if (text_equal(condition->type, "PodScheduled") &&
            text_equal(condition->reason, "Unschedulable"))
            unschedulable = true;
    return unschedulable && !pod_owned_by_daemon_set(pod) && !pod_owned_by_node(pod);
}

const char *termination_mode(const struct node_claim *claim)
{
    if (claim->spec.termination_grace_period.text == NULL)
        return "graceful";
    return claim->spec.termination_grace_period.nanoseconds <= 0 ? "forceful" : "eventual";
}

// --- JSON ----------------------------------------------------------------------------------------
json_t *json_resources(const struct resource_map *resources)
{
    json_t *out = json_object();
    char text[QUANTITY_TEXT_MAX];
    list_for_each (resource, resources) {
        quantity_format(resource->name, resource->value, text);
        json_object_set_new(out, resource->name, json_string(text));
    }
    return out;
}

static json_t *json_taint(const struct taint *taint)
{
    json_t *out = json_pack("{s:s, s:s}", "key", taint->key, "effect", taint->effect);
    if (taint->value != NULL && *taint->value != '\0')
        json_object_set_new(out, "value", json_string(taint->value));
    if (taint->time_added != 0)
        json_object_set_new(out, "timeAdded", json_instant(taint->time_added));
    return out;
}

json_t *json_taints(const taint_list *taints, const struct taint *without, const struct taint *with)
{
    json_t *out = json_array();
    list_for_each (taint, taints)
        if (taint != without)
            json_array_append_new(out, json_taint(taint));
    if (with != NULL)
        json_array_append_new(out, json_taint(with));
    return out;
}

json_t *json_requirements(const requirement_list *requirements)
{
    json_t *out = json_array();
    list_for_each (requirement, requirements) {
        json_t *entry =
            json_pack("{s:s, s:s}", "key", requirement->key, "operator", requirement->operator);
        if (requirement->values.count > 0) {
            json_t *values = json_array();
            list_for_each (value, &requirement->values)
                json_array_append_new(values, json_string(*value));
            json_object_set_new(entry, "values", values);
        }
        if (requirement->min_values.present)
            json_object_set_new(entry, "minValues", json_integer(requirement->min_values.value));
        json_array_append_new(out, entry);
    }
    return out;
}

json_t *json_string_map(const struct string_map *map)
{
    json_t *out = json_object();
    list_for_each (pair, map)
        json_object_set_new(out, pair->key, json_string(pair->value));
    return out;
}

json_t *json_instant(int64_t instant)
{
    char text[INSTANT_TEXT_MAX];
    instant_format(instant, text);
    return json_string(text);
}

json_t *json_locked(const struct object *object)
{
    return json_pack("{s:{s:s}}", "metadata", "resourceVersion",
                     object->meta.resource_version != NULL ? object->meta.resource_version : "");
}

json_t *json_finalizers(const struct object *object, bool with_ours)
{
    json_t *list = json_array();
    list_for_each (finalizer, &object->meta.finalizers)
        if (with_ours || !text_equal(*finalizer, FINALIZER_TERMINATION))
            json_array_append_new(list, json_string(*finalizer));
    if (with_ours && !object_has_finalizer(object, FINALIZER_TERMINATION))
        json_array_append_new(list, json_string(FINALIZER_TERMINATION));
    return list;
}

json_t *json_metadata(json_t *patch, const char *field)
{
    json_t *metadata = json_object_get(patch, "metadata");
    if (metadata == NULL) {
        metadata = json_object();
        json_object_set_new(patch, "metadata", metadata);
    }
    json_t *map = json_object_get(metadata, field);
    if (map == NULL) {
        map = json_object();
        json_object_set_new(metadata, field, map);
    }
    return map;
}

// --- events --------------------------------------------------------------------------------------
static PRINTF_LIKE(1, 0) char *format_message(const char *format, va_list arguments)
{
    char *message = NULL;
    int length = vasprintf(&message, format, arguments);
    assert(length >= 0);
    return length >= 0 ? message : NULL;
}

static bool record(struct control *control, const struct object *about,
                   const struct event_text *event, const char *message)
{
    struct event_request request = {.about = about,
                                    .warning = event->warning,
                                    .reason = event->reason,
                                    .message = message,
                                    .dedupe = event->dedupe,
                                    .window_ns = event->window_ns,
                                    .rate_per_second = event->rate,
                                    .burst = event->burst};
    return control->recorder != NULL && control->started &&
           event_record(control->recorder, &request);
}

void publish(struct control *control, const struct object *about, const struct event_text *event,
             const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *message CLEANUP_FREE = format_message(format, arguments);
    va_end(arguments);
    record(control, about, event, message);
}

bool publish_of_node(struct control *control, const struct node *node,
                     const struct node_claim *claim, const struct event_text *event,
                     const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *message CLEANUP_FREE = format_message(format, arguments);
    va_end(arguments);
    bool said = node != NULL && record(control, (const struct object *)node, event, message);
    return (claim != NULL && record(control, (const struct object *)claim, event, message)) || said;
}
