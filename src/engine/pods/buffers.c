#include "engine/pods/buffers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/pods/placeholders.h"
#include "model/schema/condition_types.h"

static const struct object *find(const struct problem *problem, enum kind_id kind,
                                 const char *namespace, const char *name)
{
    for (uint32_t i = 0; name != NULL && i < problem->snapshot->objects[kind].count; i++) {
        const struct object *object = problem->snapshot->objects[kind].items[i];
        if (text_equal(object->meta.namespace, namespace) && text_equal(object->meta.name, name))
            return object;
    }
    return NULL;
}

// The workload that the buffer names. The three kinds have the same layout.
static const struct deployment *workload_of(const struct problem *problem,
                                            const struct capacity_buffer *buffer)
{
    static const struct {
        const char *name;
        enum kind_id kind;
    } kinds[] = {{"Deployment", KIND_DEPLOYMENT},
                 {"ReplicaSet", KIND_REPLICA_SET},
                 {"StatefulSet", KIND_STATEFUL_SET}};
    for (size_t i = 0; i < ARRAY_LENGTH(kinds) && buffer->spec.scalable_ref != NULL; i++)
        if (text_equal(buffer->spec.scalable_ref->kind, kinds[i].name))
            return (const struct deployment *)find(problem, kinds[i].kind, buffer->meta.namespace,
                                                   buffer->spec.scalable_ref->name);
    return NULL;
}

static const struct pod_template *scalable_template(const struct problem *problem,
                                                    const struct capacity_buffer *buffer)
{
    const struct deployment *workload = workload_of(problem, buffer);
    return workload != NULL ? &workload->spec.template : NULL;
}

static const struct pod_template *template_of(const struct problem *problem,
                                              const struct capacity_buffer *buffer)
{
    const char *name = buffer->status.pod_template_ref != NULL
                           ? buffer->status.pod_template_ref->name
                       : buffer->spec.pod_template_ref != NULL ? buffer->spec.pod_template_ref->name
                                                               : NULL;
    const struct pod_template_object *object = (const struct pod_template_object *)find(
        problem, KIND_POD_TEMPLATE, buffer->meta.namespace, name);
    return object != NULL ? &object->template : scalable_template(problem, buffer);
}

// Replicas of the workload that the buffer names; -1 without one.
static int64_t workload_replicas(const struct problem *problem,
                                 const struct capacity_buffer *buffer)
{
    const struct deployment *workload = workload_of(problem, buffer);
    if (workload == NULL)
        return -1;
    return workload->spec.replicas.present ? workload->spec.replicas.value : 1;
}

// The buffer's size: its controller's resolved status; without status, its spec.
static uint32_t replicas_of(struct problem *problem, const struct capacity_buffer *buffer,
                            const struct pod_template *template)
{
    const struct condition *ready =
        condition_find(&buffer->status.conditions, CONDITION_READY_FOR_PROVISIONING);
    if (template == NULL || (ready != NULL && !text_equal(ready->status, "True")))
        return 0;
    int64_t count =
        buffer->status.replicas.present
            ? buffer->status.replicas.value
            : buffer_size(problem->arena, buffer, template, workload_replicas(problem, buffer));
    return count < 0 ? 0 : count > PLACEHOLDERS_MAX ? PLACEHOLDERS_MAX : (uint32_t)count;
}

// Placeholders with a place on a planned node: they are bound pods.
static struct map *settled_placeholders(const struct problem *problem)
{
    struct map *settled = map_create();
    for (uint32_t i = 0; i < problem->snapshot->objects[KIND_POD].count; i++) {
        const struct pod *pod = (const struct pod *)problem->snapshot->objects[KIND_POD].items[i];
        if (pod->meta.uid != NULL && pod_is_placeholder(pod))
            map_set(settled, pod->meta.uid, settled);
    }
    return settled;
}

static int compare_buffers(const void *a, const void *b)
{
    const struct object *x = *(const struct object *const *)a,
                        *y = *(const struct object *const *)b;
    int order = strcmp(x->meta.namespace, y->meta.namespace);
    return order != 0 ? order : strcmp(x->meta.name, y->meta.name);
}

uint32_t buffers_placeholders(struct problem *problem, const struct pod ***placeholders)
{
    uint32_t buffers = problem->settings->gate_capacity_buffer
                           ? problem->snapshot->objects[KIND_CAPACITY_BUFFER].count
                           : 0;
    *placeholders = NULL;
    if (buffers == 0)
        return 0;
    const struct object **sorted = arena_allocate_array(problem->arena, buffers, sizeof *sorted);
    memcpy(sorted, problem->snapshot->objects[KIND_CAPACITY_BUFFER].items,
           buffers * sizeof *sorted);
    qsort(sorted, buffers, sizeof *sorted, compare_buffers);
    const struct pod_template **templates =
        arena_allocate_array(problem->arena, buffers, sizeof *templates);
    uint32_t *replicas = arena_allocate_array(problem->arena, buffers, sizeof *replicas);
    uint32_t total = 0, count = 0;
    for (uint32_t i = 0; i < buffers; i++) {
        const struct capacity_buffer *buffer = (const struct capacity_buffer *)sorted[i];
        templates[i] = template_of(problem, buffer);
        replicas[i] = replicas_of(problem, buffer, templates[i]);
        if (replicas[i] > PLACEHOLDERS_MAX - total)
            replicas[i] = PLACEHOLDERS_MAX - total;
        total += replicas[i];
    }
    *placeholders = arena_allocate_array(problem->arena, total + 1, sizeof **placeholders);
    struct map *settled = settled_placeholders(problem);
    for (uint32_t i = 0; i < buffers; i++)
        for (uint32_t r = 1; r <= replicas[i]; r++) {
            const struct pod *pod =
                placeholder_make(problem->plan_arena, (const struct capacity_buffer *)sorted[i],
                                 templates[i], r, problem->snapshot->time);
            if (map_get(settled, pod->meta.uid) == NULL)
                (*placeholders)[count++] = pod;
        }
    map_destroy(settled, NULL);
    assert(count <= total);
    return count;
}
