#include "control/buffers/buffer_status.h"

#include <inttypes.h>

#include "model/schema/condition_types.h"

static void set_ready(struct conditions *conditions, const struct buffer_resolution *resolution)
{
    conditions_set(conditions, CONDITION_READY_FOR_PROVISIONING,
                   buffer_is_resolved(resolution) ? "True" : "False", resolution->reason,
                   resolution->message);
}

// LIF-246.
static void set_provisioning(const struct buffer_outcome *outcome, struct conditions *conditions,
                             const struct buffer_resolution *resolution, int64_t size)
{
    enum condition_type type = CONDITION_PROVISIONING;
    if (!buffer_is_resolved(resolution))
        conditions_set(conditions, type, "False", CONDITION_REASON_NOT_READY_FOR_PROVISIONING,
                       "Buffer is not ready for provisioning");
    else if (size == 0)
        conditions_set(conditions, type, "False", CONDITION_REASON_BUFFER_EMPTY,
                       "Buffer has no replicas");
    else if (outcome != NULL && outcome->on_new + outcome->failed > 0)
        conditions_set(conditions, type, "False", CONDITION_REASON_REQUIRES_NEW_CAPACITY,
                       arena_format(conditions->arena,
                                    "%" PRIu32 "/%" PRIu32
                                    " virtual pods required new capacity, %" PRIu32 " failed",
                                    outcome->on_new, outcome->placeholders, outcome->failed));
    else if (outcome != NULL && outcome->placeholders > 0)
        conditions_set(conditions, type, "True", CONDITION_REASON_FITS_EXISTING_CAPACITY,
                       arena_format(conditions->arena,
                                    "All %" PRIu32 " virtual pods fit on existing capacity",
                                    outcome->placeholders));
}

static bool same_number(const struct optional_int *number, bool present, int64_t value)
{
    return number->present == present && (!present || number->value == value);
}

json_t *buffer_status_patch(const struct capacity_buffer *buffer,
                            const struct buffer_resolution *resolution, int64_t size)
{
    json_t *patch = json_object();
    const char *strategy = buffer->spec.provisioning_strategy;
    if (strategy != NULL && !text_equal(strategy, buffer->status.provisioning_strategy))
        json_object_set_new(patch, "provisioningStrategy", json_string(strategy));
    if (!buffer_is_resolved(resolution))
        return patch; // replicas keep their last value
    const struct object *template = resolution->pod_template;
    const char *told =
        buffer->status.pod_template_ref != NULL ? buffer->status.pod_template_ref->name : NULL;
    if (!text_equal(told, template != NULL ? template->meta.name : NULL))
        json_object_set_new(patch, "podTemplateRef",
                            template != NULL ? json_pack("{s:s}", "name", template->meta.name)
                                             : json_null());
    int64_t generation = template != NULL ? template->meta.generation : 0;
    if (!same_number(&buffer->status.pod_template_generation, template != NULL, generation))
        json_object_set_new(patch, "podTemplateGeneration",
                            template != NULL ? json_integer(generation) : json_null());
    if (!same_number(&buffer->status.replicas, true, size))
        json_object_set_new(patch, "replicas", json_integer(size));
    return patch;
}

void buffer_status_conditions(struct conditions *conditions,
                              const struct buffer_resolution *resolution, int64_t size,
                              const struct buffer_outcome *outcome)
{
    set_ready(conditions, resolution);
    set_provisioning(outcome, conditions, resolution, size);
}
