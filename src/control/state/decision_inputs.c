#include "control/state/decision_inputs.h"

#include <stdlib.h>

#include "model/reading/pod.h"
#include "model/schema/condition_types.h"
#include "model/schema/karpenter.h"

struct decision_inputs {
    uint64_t version;
};

static void on_change(void *context, enum mirror_change change, const struct object *old_object,
                      const struct object *new_object);

struct decision_inputs *decision_inputs_create(struct control *control)
{
    static const enum kind_id kinds[] = {
        KIND_POD,
        KIND_NODE,
        KIND_NODE_CLAIM,
        KIND_NODE_POOL,
        KIND_NAMESPACE,
        KIND_DAEMON_SET,
        KIND_STORAGE_CLASS,
        KIND_CSI_NODE,
        KIND_POD_DISRUPTION_BUDGET,
        KIND_NODE_OVERLAY,
        KIND_PERSISTENT_VOLUME_CLAIM,
        KIND_PERSISTENT_VOLUME,
        KIND_CAPACITY_BUFFER,
        KIND_POD_TEMPLATE,
        KIND_RESOURCE_CLAIM,
        KIND_RESOURCE_CLAIM_TEMPLATE,
        KIND_DEVICE_CLASS,
        KIND_RESOURCE_SLICE,
    };
    struct decision_inputs *inputs = memory_allocate(sizeof *inputs);
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        mirror_on_change(control->manager.mirror, kinds[i], on_change, inputs);
    mirror_on_change(control->manager.mirror, control->node_class_kind, on_change, inputs);
    return inputs;
}

void decision_inputs_destroy(struct decision_inputs *inputs)
{
    free(inputs);
}

uint64_t decision_inputs_version(const struct decision_inputs *inputs)
{
    return inputs->version;
}

void decision_inputs_touch(struct decision_inputs *inputs)
{
    inputs->version++;
}

// --- relevant changes ----------------------------------------------------------------------------
static bool same_strings(const struct string_map *a, const struct string_map *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!text_equal(a->items[i].key, b->items[i].key) ||
            !text_equal(a->items[i].value, b->items[i].value))
            return false;
    return true;
}

static bool same_resources(const struct resource_map *a, const struct resource_map *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!text_equal(a->items[i].name, b->items[i].name) ||
            a->items[i].value != b->items[i].value)
            return false;
    return true;
}

// The next taint at `*at` or behind it that matters; NULL: none. That of guided drains does not.
static const struct taint *next_taint(const taint_list *taints, uint32_t *at)
{
    while (*at < taints->count && text_equal(taints->items[*at].key, TAINT_FILLED_LATER))
        (*at)++;
    return *at < taints->count ? &taints->items[(*at)++] : NULL;
}

static bool same_taints(const taint_list *a, const taint_list *b)
{
    uint32_t i = 0, j = 0;
    const struct taint *x, *y;
    do {
        x = next_taint(a, &i);
        y = next_taint(b, &j);
        if ((x == NULL) != (y == NULL) ||
            (x != NULL && (!text_equal(x->key, y->key) || !text_equal(x->value, y->value) ||
                           !text_equal(x->effect, y->effect))))
            return false;
    } while (x != NULL);
    return true;
}

static bool same_condition(const condition_list *before, const condition_list *after,
                           enum condition_type type)
{
    const struct condition *a = condition_find(before, type), *b = condition_find(after, type);
    if (a == NULL || b == NULL)
        return a == b;
    return text_equal(a->status, b->status) && text_equal(a->reason, b->reason);
}

static bool same_metadata(const struct object_meta *a, const struct object_meta *b)
{
    return text_equal(a->uid, b->uid) && a->generation == b->generation &&
           (a->deletion_timestamp != 0) == (b->deletion_timestamp != 0) &&
           (a->unreadable == NULL) == (b->unreadable == NULL) &&
           same_strings(&a->labels, &b->labels) && same_strings(&a->annotations, &b->annotations);
}

bool node_change_matters(const struct node *before, const struct node *after)
{
    return !same_metadata(&before->meta, &after->meta) ||
           !text_equal(before->spec.provider_id, after->spec.provider_id) ||
           before->spec.unschedulable != after->spec.unschedulable ||
           !same_taints(&before->spec.taints, &after->spec.taints) ||
           !same_resources(&before->status.capacity, &after->status.capacity) ||
           !same_resources(&before->status.allocatable, &after->status.allocatable) ||
           !same_condition(&before->status.conditions, &after->status.conditions, CONDITION_READY);
}

bool claim_change_matters(const struct node_claim *before, const struct node_claim *after)
{
    static const enum condition_type conditions[] = {CONDITION_LAUNCHED, CONDITION_REGISTERED,
                                                     CONDITION_INITIALIZED,
                                                     CONDITION_INSTANCE_TERMINATING};
    for (size_t i = 0; i < ARRAY_LENGTH(conditions); i++)
        if (!same_condition(&before->status.conditions, &after->status.conditions, conditions[i]))
            return true;
    return !same_metadata(&before->meta, &after->meta) ||
           !text_equal(before->status.provider_id, after->status.provider_id) ||
           !text_equal(before->status.node_name, after->status.node_name) ||
           !same_resources(&before->status.capacity, &after->status.capacity) ||
           !same_resources(&before->status.allocatable, &after->status.allocatable);
}

// A pod's specification rarely changes. Without a generation the mutable fields are compared:
// requests, gates, tolerations.
static bool same_specification(const struct pod *before, const struct pod *after)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct resource_map a = pod_requests(scratch, before), b = pod_requests(scratch, after);
    return text_equal(before->spec.node_name, after->spec.node_name) && same_resources(&a, &b) &&
           before->spec.scheduling_gates.count == after->spec.scheduling_gates.count &&
           before->spec.tolerations.count == after->spec.tolerations.count &&
           same_strings(&before->spec.node_selector, &after->spec.node_selector);
}

bool pod_change_matters(const struct pod *before, const struct pod *after)
{
    static const enum condition_type conditions[] = {CONDITION_POD_SCHEDULED, CONDITION_READY};
    for (size_t i = 0; i < ARRAY_LENGTH(conditions); i++)
        if (!same_condition(&before->status.conditions, &after->status.conditions, conditions[i]))
            return true;
    return !same_metadata(&before->meta, &after->meta) ||
           !text_equal(before->status.phase, after->status.phase) ||
           !text_equal(before->status.nominated_node_name, after->status.nominated_node_name) ||
           !same_specification(before, after);
}

// Size and readiness of a buffer; the rest of its status is written by adze.
static bool buffer_change_matters(const struct capacity_buffer *before,
                                  const struct capacity_buffer *after)
{
    return !same_metadata(&before->meta, &after->meta) ||
           before->status.replicas.present != after->status.replicas.present ||
           before->status.replicas.value != after->status.replicas.value ||
           !same_condition(&before->status.conditions, &after->status.conditions,
                           CONDITION_READY_FOR_PROVISIONING);
}

static bool matters(enum kind_id kind, const struct object *before, const struct object *after)
{
    if (kind == KIND_NODE)
        return node_change_matters((const struct node *)before, (const struct node *)after);
    if (kind == KIND_NODE_CLAIM)
        return claim_change_matters((const struct node_claim *)before,
                                    (const struct node_claim *)after);
    if (kind == KIND_POD)
        return pod_change_matters((const struct pod *)before, (const struct pod *)after);
    if (kind == KIND_CAPACITY_BUFFER)
        return buffer_change_matters((const struct capacity_buffer *)before,
                                     (const struct capacity_buffer *)after);
    // Status of these kinds reports progress; decisions depend on their specification.
    if (kind == KIND_DAEMON_SET || kind == KIND_POD_DISRUPTION_BUDGET)
        return !same_metadata(&before->meta, &after->meta) || after->meta.generation == 0;
    return true;
}

static void on_change(void *context, enum mirror_change change, const struct object *old_object,
                      const struct object *new_object)
{
    struct decision_inputs *inputs = context;
    (void)change;
    if (old_object == NULL || new_object == NULL ||
        matters(new_object->kind->id, old_object, new_object))
        inputs->version++;
}
