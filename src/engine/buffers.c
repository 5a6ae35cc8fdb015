#include "engine/buffers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

static const struct pod_template *scalable_template(const struct problem *problem,
                                                    const struct capacity_buffer *buffer)
{
    static const struct {
        const char *name;
        enum kind_id kind;
    } kinds[] = {{"Deployment", KIND_DEPLOYMENT},
                 {"ReplicaSet", KIND_REPLICA_SET},
                 {"StatefulSet", KIND_STATEFUL_SET}};
    for (size_t i = 0; i < ARRAY_LENGTH(kinds) && buffer->spec.scalable_ref != NULL; i++) {
        if (!text_equal(buffer->spec.scalable_ref->kind, kinds[i].name))
            continue;
        // The three kinds have the same shape.
        const struct deployment *workload = (const struct deployment *)find(
            problem, kinds[i].kind, buffer->meta.namespace, buffer->spec.scalable_ref->name);
        return workload != NULL ? &workload->spec.template : NULL;
    }
    return NULL;
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

// The buffer's size: what its controller resolved; from a file without status, what it asks for.
static uint32_t replicas_of(const struct capacity_buffer *buffer)
{
    const struct condition *ready =
        condition_find(&buffer->status.conditions, "ReadyForProvisioning");
    if (ready != NULL && !text_equal(ready->status, "True"))
        return 0;
    const struct optional_int *replicas =
        buffer->status.replicas.present ? &buffer->status.replicas : &buffer->spec.replicas;
    int64_t count = replicas->present ? replicas->value : 0;
    return count < 0 ? 0 : count > 1000000 ? 1000000 : (uint32_t)count;
}

// Volumes that would need a claim of their own are left out (LIF-244).
static void drop_claims(struct arena *arena, struct pod_spec *spec)
{
    struct volume *kept = arena_allocate_array(arena, spec->volumes.count + 1, sizeof *kept);
    uint32_t count = 0;
    list_for_each (volume, &spec->volumes)
        if (volume->persistent_volume_claim == NULL && volume->ephemeral == NULL)
            kept[count++] = *volume;
    spec->volumes.items = kept;
    spec->volumes.count = count;
}

static const struct pod *make_placeholder(struct problem *problem,
                                          const struct capacity_buffer *buffer,
                                          const struct pod_template *template, uint32_t number)
{
    struct arena *arena = problem->plan_arena;
    struct pod *pod = arena_allocate(arena, sizeof *pod);
    pod->kind = kind_get(KIND_POD);
    pod->references = 1;
    pod->meta.name = arena_format(arena, "capacity-buffer-%s-%" PRIu32, buffer->meta.name, number);
    pod->meta.namespace = buffer->meta.namespace;
    pod->meta.uid = arena_format(arena, "%s-%" PRIu32, buffer->meta.uid, number);
    pod->meta.labels = template->metadata.labels;
    pod->meta.creation_timestamp = problem->snapshot->time;
    pod->meta.annotations.items = arena_allocate_array(arena, 3, sizeof(struct string_pair));
    pod->meta.annotations.items[0] =
        (struct string_pair){"karpenter.sh/capacity-buffer-fake-pod", "true"};
    pod->meta.annotations.items[1] =
        (struct string_pair){"karpenter.sh/capacity-buffer-name", buffer->meta.name};
    pod->meta.annotations.items[2] =
        (struct string_pair){"karpenter.sh/capacity-buffer-namespace", buffer->meta.namespace};
    pod->meta.annotations.count = 3;
    pod->spec = template->spec;
    pod->spec.node_name = NULL;
    pod->spec.priority = (struct optional_int){true, INT32_MIN};
    drop_claims(arena, &pod->spec);
    pod->status.conditions.items = arena_allocate_array(arena, 1, sizeof(struct condition));
    pod->status.conditions.items[0] =
        (struct condition){.type = "PodScheduled", .status = "False", .reason = "Unschedulable"};
    pod->status.conditions.count = 1;
    return pod;
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
    uint32_t total = 0, count = 0;
    for (uint32_t i = 0; i < buffers; i++)
        total += replicas_of((const struct capacity_buffer *)sorted[i]);
    *placeholders = arena_allocate_array(problem->arena, total + 1, sizeof **placeholders);
    for (uint32_t i = 0; i < buffers; i++) {
        const struct capacity_buffer *buffer = (const struct capacity_buffer *)sorted[i];
        const struct pod_template *template = template_of(problem, buffer);
        for (uint32_t r = 1; template != NULL && r <= replicas_of(buffer); r++)
            (*placeholders)[count++] = make_placeholder(problem, buffer, template, r);
    }
    return count;
}
