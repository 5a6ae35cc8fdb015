#include "control/buffers/capacity_buffers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "control/buffers/buffer_resolution.h"
#include "control/buffers/buffer_status.h"
#include "control/runtime/wakes.h"
#include "control/state/cluster.h"
#include "engine/pods/placeholders.h"
#include "model/reading/workload_counts.h"
#include "model/schema/condition_types.h"
#include "reconcile/conditions.h"
#include "reconcile/operations.h"

#define PERIOD_NS   (28 * SECOND) // what it finds is reported within 30 s
#define UNSYNCED_NS (50 * MILLISECOND)

struct buffer_record {
    const struct object *workload; // as last read; NULL: none, or unreadable
    struct error error;            // of the read
    bool is_due, is_read;          // to be evaluated; its workload was read for it
    int64_t next_ns;               // monotonic: the latest next evaluation
};

struct capacity_buffers {
    struct control *control;
    struct reconcile_queue *queue;
    struct buffer_placements *ledger;
    struct map *records; // struct buffer_record by "namespace/name"
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

static void key_of(const struct object *object, char out[600])
{
    snprintf(out, 600, "%s/%s", object->meta.namespace != NULL ? object->meta.namespace : "",
             object->meta.name);
}

static struct buffer_record *record_of(struct capacity_buffers *buffers, const char *key)
{
    return map_ensure(buffers->records, key, sizeof(struct buffer_record));
}

static void record_destroy(void *value)
{
    struct buffer_record *record = value;
    object_release(record->workload);
    free(record);
}

// --- changes in the mirror -----------------------------------------------------------------------
static void evaluate_anew(struct capacity_buffers *buffers, const struct object *buffer)
{
    char key[600];
    key_of(buffer, key);
    struct buffer_record *record = record_of(buffers, key);
    record->is_due = true;
    record->is_read = false;
    reconcile_queue_add(buffers->queue, key);
}

static void on_buffer(void *context, enum mirror_change change, const struct object *old_object,
                      const struct object *new_object)
{
    struct capacity_buffers *buffers = context;
    if (change != MIRROR_DELETED) {
        if (old_object == NULL || old_object->meta.generation != new_object->meta.generation)
            evaluate_anew(buffers, new_object);
        return;
    }
    char key[600];
    key_of(old_object, key);
    reconcile_queue_add(buffers->queue, key); // which drops its record when it is no longer in use
    if (old_object->meta.uid != NULL &&
        buffer_placements_trim(buffers->ledger, old_object->meta.uid, 0))
        wake(&buffers->control->manager, WAKE_DISRUPTION, NULL);
}

// LIF-243.
static void on_template(void *context, enum mirror_change change, const struct object *old_object,
                        const struct object *new_object)
{
    struct capacity_buffers *buffers = context;
    const struct object *template = new_object != NULL ? new_object : old_object;
    struct mirror_iterator iterator = {0};
    (void)change;
    for (const struct object *buffer;
         (buffer = mirror_next(buffers->control->manager.mirror, KIND_CAPACITY_BUFFER, &iterator));)
        if (text_equal(buffer->meta.namespace, template->meta.namespace) &&
            ((const struct capacity_buffer *)buffer)->spec.pod_template_ref != NULL)
            evaluate_anew(buffers, buffer);
}

// A Deployment's ReplicaSets have its name, a hyphen and a hash.
static bool is_of(const struct capacity_buffer *buffer, const struct object *workload)
{
    const char *kind = buffer->spec.scalable_ref->kind, *name = buffer->spec.scalable_ref->name;
    if (!text_equal(buffer->meta.namespace, workload->meta.namespace) || name == NULL)
        return false;
    if (text_equal(kind, "Deployment"))
        return workload->kind->id == KIND_REPLICA_SET &&
               text_starts_with(workload->meta.name, name) &&
               workload->meta.name[strlen(name)] == '-';
    return text_equal(kind, workload->kind->name) && text_equal(name, workload->meta.name);
}

static int64_t wanted(const struct object *workload)
{
    const struct workload_counts *counts = (const struct workload_counts *)workload;
    return counts == NULL ? -1 : counts->spec.replicas.present ? counts->spec.replicas.value : 1;
}

// LIF-466: a workload is evaluated when its size changes, not only twice a minute.
static void on_workload(void *context, enum mirror_change change, const struct object *old_object,
                        const struct object *new_object)
{
    struct capacity_buffers *buffers = context;
    const struct object *workload = new_object != NULL ? new_object : old_object;
    struct mirror_iterator iterator = {0};
    (void)change;
    if (wanted(old_object) == wanted(new_object))
        return;
    for (const struct object *object; (object = mirror_next(buffers->control->manager.mirror,
                                                            KIND_CAPACITY_BUFFER, &iterator));) {
        const struct capacity_buffer *buffer = (const struct capacity_buffer *)object;
        if (buffer->spec.scalable_ref != NULL && is_of(buffer, workload))
            evaluate_anew(buffers, object);
    }
}

// A pod has taken the room of placeholders: the next pass replaces it (LIF-247).
static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object)
{
    struct capacity_buffers *buffers = context;
    const struct pod *before = (const struct pod *)old_object,
                     *pod = (const struct pod *)new_object;
    (void)change;
    if (pod == NULL || pod->spec.node_name == NULL || pod->meta.uid == NULL ||
        (before != NULL && before->spec.node_name != NULL))
        return;
    const struct node *node = find_node(buffers->control, pod->spec.node_name);
    if (node != NULL && buffer_placements_holds(buffers->ledger, node))
        wake(&buffers->control->manager, WAKE_PROVISIONER, pod->meta.uid);
}

static bool is_initialized(const struct object *claim)
{
    return claim != NULL &&
           condition_is_true(&((const struct node_claim *)claim)->status.conditions,
                             CONDITION_INITIALIZED);
}

// New capacity: the next pass places the placeholders, and the status shows it (LIF-246) without
// waiting for the next evaluation.
static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct capacity_buffers *buffers = context;
    struct mirror_iterator iterator = {0};
    (void)change;
    if (!is_initialized(new_object) || is_initialized(old_object) || new_object->meta.uid == NULL)
        return;
    for (const struct object *buffer; (buffer = mirror_next(buffers->control->manager.mirror,
                                                            KIND_CAPACITY_BUFFER, &iterator));) {
        const struct buffer_outcome *outcome =
            buffer_placements_outcome(buffers->ledger, buffer->meta.namespace, buffer->meta.name);
        if (outcome != NULL && outcome->on_new > 0) {
            wake(&buffers->control->manager, WAKE_PROVISIONER, new_object->meta.uid);
            return;
        }
    }
}

void capacity_buffers_watch(struct mirror *mirror)
{
    mirror_watch(mirror, KIND_CAPACITY_BUFFER, NULL, NULL, true);
    mirror_watch(mirror, KIND_POD_TEMPLATE, NULL, NULL, true);
}

struct capacity_buffers *capacity_buffers_create(struct control *control)
{
    if (!control->manager.settings->gate_capacity_buffer)
        return NULL;
    struct capacity_buffers *buffers = memory_allocate(sizeof *buffers);
    buffers->control = control;
    buffers->ledger = buffer_placements_create(control);
    buffers->records = map_create();
    return buffers;
}

void capacity_buffers_observe(struct capacity_buffers *buffers)
{
    if (buffers == NULL)
        return;
    struct control *control = buffers->control;
    buffers->queue =
        manager_queue(&control->manager, &(struct reconcile_queue_options){.name = "capacitybuffer",
                                                                           .kind = "CapacityBuffer",
                                                                           .concurrency = 10,
                                                                           .reconcile = reconcile,
                                                                           .context = buffers});
    mirror_on_change(control->manager.mirror, KIND_CAPACITY_BUFFER, on_buffer, buffers);
    mirror_on_change(control->manager.mirror, KIND_POD_TEMPLATE, on_template, buffers);
    if (control->strategy->follows_buffer_workloads) {
        mirror_on_change(control->manager.mirror, KIND_REPLICA_SET, on_workload, buffers);
        mirror_on_change(control->manager.mirror, KIND_STATEFUL_SET, on_workload, buffers);
        mirror_on_change(control->manager.mirror, KIND_POD, on_pod, buffers);
        mirror_on_change(control->manager.mirror, KIND_NODE_CLAIM, on_claim, buffers);
    }
}

void capacity_buffers_destroy(struct capacity_buffers *buffers)
{
    if (buffers == NULL)
        return;
    buffer_placements_destroy(buffers->ledger);
    map_destroy(buffers->records, record_destroy);
    free(buffers);
}

// --- reading workloads ---------------------------------------------------------------------------
static bool same_workload(const struct object *a, const struct object *b)
{
    return a != NULL && b != NULL && text_equal(a->meta.uid, b->meta.uid) &&
           a->meta.generation == b->meta.generation && a->meta.generation != 0;
}

static enum operation_outcome note_workload(void *context, const char *key,
                                            const struct kube_result *result)
{
    struct capacity_buffers *buffers = context;
    struct buffer_record *record = record_of(buffers, key);
    const struct object *before = record->workload;
    record->is_read = true;
    record->error = result->error;
    record->workload = result->error.kind == ERROR_NONE ? object_acquire(result->object) : NULL;
    if (record->workload == NULL && result->error.kind == ERROR_NONE)
        error_set(&record->error, ERROR_INTERNAL, "the answer cannot be read");
    if (!same_workload(before, record->workload))
        wake(&buffers->control->manager, WAKE_PROVISIONING_INPUTS, NULL);
    object_release(before);
    return OPERATION_NOTED;
}

static struct reconcile_result read_workload(struct capacity_buffers *buffers,
                                             struct work_item *item,
                                             const struct capacity_buffer *buffer)
{
    return start_get(&(struct operation_about){.manager = &buffers->control->manager,
                                               .item = item,
                                               .doing = "reading the workload",
                                               .record = note_workload,
                                               .context = buffers},
                     buffer_workload_kind(buffer), buffer->meta.namespace,
                     buffer->spec.scalable_ref->name);
}

// --- the pass ------------------------------------------------------------------------------------
static struct reconcile_result write_status(struct capacity_buffers *buffers,
                                            struct work_item *item,
                                            const struct capacity_buffer *buffer,
                                            const struct conditions *conditions, json_t *patch)
{
    const struct object *object = (const struct object *)buffer;
    json_t *body = json_locked(object);
    if (conditions->changed)
        json_object_set_new(patch, "conditions", conditions_encode(conditions));
    json_object_set_new(body, "status", json_incref(patch));
    return start_patch_status(&(struct operation_about){.manager = &buffers->control->manager,
                                                        .item = item,
                                                        .doing = "updating buffer status"},
                              object, body);
}

// The status is up to date. An evaluation triggers the provisioner (LIF-243), and the next one is
// due later; a mere report of a pass's outcome does neither.
static struct reconcile_result settle(struct capacity_buffers *buffers,
                                      struct buffer_record *record,
                                      const struct capacity_buffer *buffer,
                                      const struct buffer_resolution *resolution,
                                      struct error *error)
{
    int64_t now_ns = loop_monotonic_ns(buffers->control->manager.loop);
    if (!record->is_due)
        return reconcile_after(ns_subtract(record->next_ns, now_ns));
    record->is_read = false;
    if (!buffer_is_resolved(resolution) && resolution->try_again) {
        error_set(error, ERROR_UNAVAILABLE, "resolving buffer, %s", resolution->message);
        return reconcile_error();
    }
    record->is_due = false;
    record->next_ns = ns_add(now_ns, PERIOD_NS);
    if (buffer_is_resolved(resolution) && buffer->meta.uid != NULL)
        wake(&buffers->control->manager, WAKE_PROVISIONER, buffer->meta.uid);
    return reconcile_after(PERIOD_NS);
}

static struct reconcile_result evaluate(struct capacity_buffers *buffers, struct work_item *item,
                                        struct buffer_record *record,
                                        const struct capacity_buffer *buffer, struct error *error)
{
    struct control *control = buffers->control;
    struct arena *arena CLEANUP_ARENA = arena_create(4096);
    struct buffer_resolution resolution =
        buffer_resolve(control, arena, buffer, record->workload, &record->error);
    if (!buffer_needs_workload(buffer)) {
        object_release(record->workload);
        record->workload = NULL;
    }
    int64_t size = buffer_is_resolved(&resolution)
                       ? buffer_size(arena, buffer, resolution.template, resolution.workload)
                       : 0;
    if (buffer->meta.uid != NULL && buffer_placements_trim(buffers->ledger, buffer->meta.uid, size))
        wake(&control->manager, WAKE_DISRUPTION, NULL);
    struct conditions conditions;
    conditions_read(&conditions, arena, (const struct object *)buffer, &buffer->status.conditions,
                    manager_now(&control->manager));
    buffer_status_conditions(
        &conditions, &resolution, size,
        buffer_placements_outcome(buffers->ledger, buffer->meta.namespace, buffer->meta.name));
    json_t *patch = buffer_status_patch(buffer, &resolution, size);
    bool changed = conditions.changed || json_object_size(patch) > 0;
    struct reconcile_result result = changed
                                         ? write_status(buffers, item, buffer, &conditions, patch)
                                         : settle(buffers, record, buffer, &resolution, error);
    json_decref(patch);
    conditions_free(&conditions);
    return result;
}

static const struct capacity_buffer *find_buffer(const struct capacity_buffers *buffers,
                                                 const char *key)
{
    char namespace[300];
    size_t length = strcspn(key, "/");
    snprintf(namespace, sizeof namespace, "%.*s", (int)length, key);
    return (const struct capacity_buffer *)mirror_get(
        buffers->control->manager.mirror, KIND_CAPACITY_BUFFER, namespace, key + length + 1);
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct capacity_buffers *buffers = context;
    const char *key = work_item_key(item);
    const struct capacity_buffer *buffer = find_buffer(buffers, key);
    if (buffer == NULL || object_is_deleting((const struct object *)buffer)) {
        struct buffer_record *record = map_remove(buffers->records, key);
        if (record != NULL)
            record_destroy(record);
        return reconcile_done();
    }
    if (!mirror_kind_synced(buffers->control->manager.mirror, KIND_POD_TEMPLATE))
        return reconcile_after(UNSYNCED_NS);
    struct buffer_record *record = record_of(buffers, key);
    if (loop_monotonic_ns(buffers->control->manager.loop) >= record->next_ns)
        record->is_due = true;
    if (buffer_needs_workload(buffer) && record->is_due && !record->is_read)
        return read_workload(buffers, item, buffer);
    return evaluate(buffers, item, record, buffer, error);
}

// --- passes --------------------------------------------------------------------------------------
static int64_t present_size(const struct capacity_buffer *buffer)
{
    return condition_is_true(&buffer->status.conditions, CONDITION_READY_FOR_PROVISIONING) &&
                   buffer->status.replicas.present
               ? buffer->status.replicas.value
               : 0;
}

bool capacity_buffers_need_pass(const struct capacity_buffers *buffers)
{
    struct mirror_iterator iterator = {0};
    if (buffers == NULL)
        return false;
    for (const struct object *object;
         (object = mirror_next(buffers->control->manager.mirror, KIND_CAPACITY_BUFFER, &iterator));)
        if (present_size((const struct capacity_buffer *)object) > 0)
            return true;
    return false;
}

bool capacity_buffers_settled(const struct capacity_buffers *buffers)
{
    return buffers == NULL || buffer_placements_knows(buffers->ledger) ||
           !capacity_buffers_need_pass(buffers);
}

static const struct pod_template *present_template(const struct capacity_buffers *buffers,
                                                   const struct capacity_buffer *buffer)
{
    char key[600];
    key_of((const struct object *)buffer, key);
    const struct buffer_record *record = map_get(buffers->records, key);
    const struct object *template = buffer->spec.pod_template_ref != NULL
                                        ? buffer_find_template(buffers->control, buffer)
                                        : NULL;
    if (template != NULL)
        return &((const struct pod_template_object *)template)->template;
    return record != NULL && record->workload != NULL
               ? &((const struct deployment *)record->workload)->spec.template
               : NULL;
}

// Several buffers may reference one workload.
static void add_workload(struct snapshot *snapshot, const struct object *workload)
{
    for (uint32_t i = 0; i < snapshot->objects[workload->kind->id].count; i++)
        if (text_equal(snapshot->objects[workload->kind->id].items[i]->meta.uid,
                       workload->meta.uid))
            return;
    snapshot_add(snapshot, workload);
}

void capacity_buffers_add(struct capacity_buffers *buffers, struct snapshot *snapshot)
{
    if (buffers == NULL)
        return;
    const struct mirror *mirror = buffers->control->manager.mirror;
    struct mirror_iterator iterator = {0};
    for (const struct object *object; (object = mirror_next(mirror, KIND_POD_TEMPLATE, &iterator));)
        snapshot_add(snapshot, object);
    for (struct map_entry *entry = map_first(buffers->records); entry != NULL;
         entry = map_next(entry)) {
        const struct buffer_record *record = map_value(entry);
        if (record->workload != NULL)
            add_workload(snapshot, record->workload);
    }
    iterator = (struct mirror_iterator){0};
    for (const struct object *object;
         (object = mirror_next(mirror, KIND_CAPACITY_BUFFER, &iterator));) {
        const struct capacity_buffer *buffer = (const struct capacity_buffer *)object;
        const struct pod_template *template = present_template(buffers, buffer);
        snapshot_add(snapshot, object);
        if (template != NULL && buffer->meta.uid != NULL)
            buffer_placements_add_bound(buffers->ledger, snapshot, buffer, template,
                                        present_size(buffer));
    }
    buffer_placements_name_nodes(buffers->ledger, snapshot);
}

void capacity_buffers_note_plan(struct capacity_buffers *buffers, const struct snapshot *snapshot,
                                const struct plan *plan)
{
    if (buffers == NULL)
        return;
    if (buffer_placements_note_plan(buffers->ledger, snapshot, plan))
        wake(&buffers->control->manager, WAKE_DISRUPTION, NULL);
    struct mirror_iterator iterator = {0};
    for (const struct object *object; (object = mirror_next(buffers->control->manager.mirror,
                                                            KIND_CAPACITY_BUFFER, &iterator));) {
        char key[600];
        key_of(object, key);
        reconcile_queue_add(buffers->queue, key);
    }
}

void capacity_buffers_note_claim(struct capacity_buffers *buffers, const struct pod *placeholder,
                                 const char *claim)
{
    if (buffers != NULL)
        buffer_placements_note_claim(buffers->ledger, placeholder, claim);
}
