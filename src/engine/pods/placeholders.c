#include "engine/pods/placeholders.h"

#include <assert.h>
#include <inttypes.h>

#include "base/quantity.h"
#include "base/text.h"
#include "model/reading/pod.h"
#include "model/schema/condition_types.h"
#include "model/tables/kinds.h"

// How often the template fits into the buffer's limits; -1 if they limit nothing that the template
// requests.
static int64_t limit_count(struct arena *scratch, const struct capacity_buffer *buffer,
                           const struct pod_template *template)
{
    struct resource_map requests = pod_spec_requests(scratch, &template->spec);
    int64_t least = -1;
    list_for_each (limit, &buffer->spec.limits) {
        int64_t request = resource_map_get(&requests, limit->name);
        if (request > 0 && (least < 0 || limit->value / request < least))
            least = limit->value / request;
    }
    return least;
}

// The buffer's percentage of the workload; -1 if it sets none.
static int64_t share_of(const struct capacity_buffer *buffer, int64_t workload)
{
    if (workload <= 0 || !buffer->spec.percentage.present)
        return -1;
    if (buffer->spec.percentage.value > PLACEHOLDERS_MAX)
        return PLACEHOLDERS_MAX;
    return quantity_add(quantity_multiply(workload, buffer->spec.percentage.value), 99) / 100;
}

int64_t buffer_size(struct arena *scratch, const struct capacity_buffer *buffer,
                    const struct pod_template *template, int64_t workload)
{
    int64_t share = share_of(buffer, workload);
    int64_t own = buffer->spec.replicas.present ? buffer->spec.replicas.value : -1;
    int64_t desired = share > own ? share : own, limit = limit_count(scratch, buffer, template);
    if (desired < 0)
        desired = limit < 0 ? 0 : limit;
    else if (limit >= 0 && limit < desired)
        desired = limit;
    return desired < 0 ? 0 : desired > PLACEHOLDERS_MAX ? PLACEHOLDERS_MAX : desired;
}

// Drops volumes that would need their own claim (LIF-244).
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

// Lets placeholders stay on a node with the disruption taint until the node is marked for deletion.
// A machine bought for them meanwhile would invalidate the plan that removes the node (DIS-434).
static void tolerate_disruption(struct arena *arena, struct pod_spec *spec)
{
    uint32_t count = spec->tolerations.count;
    struct toleration *tolerations = arena_allocate_array(arena, count + 1, sizeof *tolerations);
    for (uint32_t i = 0; i < count; i++)
        tolerations[i] = spec->tolerations.items[i];
    tolerations[count] =
        (struct toleration){.key = TAINT_DISRUPTED, .operator= "Exists", .effect = "NoSchedule"};
    spec->tolerations.items = tolerations;
    spec->tolerations.count = count + 1;
}

struct pod *placeholder_make(struct arena *arena, const struct capacity_buffer *buffer,
                             const struct pod_template *template, uint32_t number, int64_t time)
{
    assert(number > 0);
    assert(number <= PLACEHOLDERS_MAX);
    struct pod *pod = arena_allocate(arena, sizeof *pod);
    pod->kind = kind_get(KIND_POD);
    pod->references = 1;
    pod->meta.name = arena_format(arena, "capacity-buffer-%s-%" PRIu32, buffer->meta.name, number);
    pod->meta.namespace = buffer->meta.namespace;
    pod->meta.uid = arena_format(arena, "%s-%" PRIu32, buffer->meta.uid, number);
    pod->meta.labels = template->metadata.labels;
    pod->meta.creation_timestamp = time;
    pod->meta.annotations.items = arena_allocate_array(arena, 3, sizeof(struct string_pair));
    pod->meta.annotations.items[0] = (struct string_pair){ANNOTATION_PLACEHOLDER, "true"};
    pod->meta.annotations.items[1] =
        (struct string_pair){ANNOTATION_PLACEHOLDER_BUFFER, buffer->meta.name};
    pod->meta.annotations.items[2] =
        (struct string_pair){"karpenter.sh/capacity-buffer-namespace", buffer->meta.namespace};
    pod->meta.annotations.count = 3;
    pod->spec = template->spec;
    pod->spec.node_name = NULL;
    pod->spec.priority = (struct optional_int){true, INT32_MIN};
    drop_claims(arena, &pod->spec);
    tolerate_disruption(arena, &pod->spec);
    pod->status.conditions.items = arena_allocate_array(arena, 1, sizeof(struct condition));
    pod->status.conditions.items[0] =
        (struct condition){.type = condition_name(CONDITION_POD_SCHEDULED),
                           .status = "False",
                           .reason = "Unschedulable"};
    pod->status.conditions.count = 1;
    return pod;
}

bool pod_is_placeholder(const struct pod *pod)
{
    return text_equal(string_map_get(&pod->meta.annotations, ANNOTATION_PLACEHOLDER), "true");
}
