#include "engine/buffers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"

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

// The workload that the buffer names. The three kinds have the same shape.
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

#define PLACEHOLDERS_MAX 1000000 // of one buffer

// How often the template fits the buffer's limits; -1 if they say nothing of what it asks for.
static int64_t limit_count(struct problem *problem, const struct capacity_buffer *buffer,
                           const struct pod_template *template)
{
    struct resource_map requests = pod_spec_requests(problem->arena, &template->spec);
    int64_t least = -1;
    list_for_each (limit, &buffer->spec.limits) {
        int64_t request = resource_map_get(&requests, limit->name);
        if (request > 0 && (least < 0 || limit->value / request < least))
            least = limit->value / request;
    }
    return least;
}

// The share of the workload that the buffer asks for; -1 if it asks for none.
static int64_t share_of_workload(const struct problem *problem,
                                 const struct capacity_buffer *buffer)
{
    const struct deployment *workload = workload_of(problem, buffer);
    if (workload == NULL || !buffer->spec.percentage.present)
        return -1;
    int64_t replicas = workload->spec.replicas.present ? workload->spec.replicas.value : 1;
    if (replicas <= 0 || buffer->spec.percentage.value > PLACEHOLDERS_MAX)
        return replicas <= 0 ? -1 : PLACEHOLDERS_MAX;
    return quantity_add(quantity_multiply(replicas, buffer->spec.percentage.value), 99) / 100;
}

// LIF-241.
static int64_t wanted_replicas(struct problem *problem, const struct capacity_buffer *buffer,
                               const struct pod_template *template)
{
    int64_t share = share_of_workload(problem, buffer);
    int64_t own = buffer->spec.replicas.present ? buffer->spec.replicas.value : -1;
    int64_t desired = share > own ? share : own, limit = limit_count(problem, buffer, template);
    if (desired < 0)
        return limit < 0 ? 0 : limit;
    return limit >= 0 && limit < desired ? limit : desired;
}

// The buffer's size: what its controller resolved; without status, what it asks for.
static uint32_t replicas_of(struct problem *problem, const struct capacity_buffer *buffer,
                            const struct pod_template *template)
{
    const struct condition *ready =
        condition_find(&buffer->status.conditions, "ReadyForProvisioning");
    if (template == NULL || (ready != NULL && !text_equal(ready->status, "True")))
        return 0;
    int64_t count = buffer->status.replicas.present ? buffer->status.replicas.value
                                                    : wanted_replicas(problem, buffer, template);
    return count < 0 ? 0 : count > PLACEHOLDERS_MAX ? PLACEHOLDERS_MAX : (uint32_t)count;
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
    const struct pod_template **templates =
        arena_allocate_array(problem->arena, buffers, sizeof *templates);
    uint32_t *replicas = arena_allocate_array(problem->arena, buffers, sizeof *replicas);
    uint32_t total = 0, count = 0;
    for (uint32_t i = 0; i < buffers; i++) {
        const struct capacity_buffer *buffer = (const struct capacity_buffer *)sorted[i];
        templates[i] = template_of(problem, buffer);
        replicas[i] = replicas_of(problem, buffer, templates[i]);
        total += replicas[i];
    }
    *placeholders = arena_allocate_array(problem->arena, total + 1, sizeof **placeholders);
    for (uint32_t i = 0; i < buffers; i++)
        for (uint32_t r = 1; r <= replicas[i]; r++)
            (*placeholders)[count++] = make_placeholder(
                problem, (const struct capacity_buffer *)sorted[i], templates[i], r);
    return count;
}
