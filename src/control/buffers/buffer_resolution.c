#include "control/buffers/buffer_resolution.h"
#include "model/tables/kinds.h"

#include <assert.h>
#include <string.h>

#define STRATEGY "buffer.x-k8s.io/active-capacity"

const struct object *buffer_find_template(const struct control *control,
                                          const struct capacity_buffer *buffer)
{
    return mirror_get(control->manager.mirror, KIND_POD_TEMPLATE, buffer->meta.namespace,
                      buffer->spec.pod_template_ref->name);
}

enum kind_id buffer_workload_kind(const struct capacity_buffer *buffer)
{
    static const enum kind_id kinds[] = {KIND_DEPLOYMENT, KIND_STATEFUL_SET, KIND_REPLICA_SET};
    const char *group = buffer->spec.scalable_ref->api_group;
    bool apps = group == NULL || *group == '\0' || strcmp(group, "apps") == 0;
    for (size_t i = 0; apps && i < ARRAY_LENGTH(kinds); i++)
        if (text_equal(buffer->spec.scalable_ref->kind, kind_get(kinds[i])->name))
            return kinds[i];
    return KIND_COUNT;
}

bool buffer_needs_workload(const struct capacity_buffer *buffer)
{
    return buffer->spec.pod_template_ref == NULL && buffer->spec.scalable_ref != NULL &&
           buffer_workload_kind(buffer) != KIND_COUNT;
}

static void fail(struct buffer_resolution *resolution, enum condition_reason reason,
                 const char *message)
{
    assert(reason != CONDITION_REASON_RESOLVED);
    resolution->reason = reason;
    resolution->message = message;
}

static void resolve_template(const struct control *control, struct arena *arena,
                             const struct capacity_buffer *buffer, struct buffer_resolution *out)
{
    out->pod_template = buffer_find_template(control, buffer);
    if (out->pod_template != NULL) {
        out->template = &((const struct pod_template_object *)out->pod_template)->template;
        return;
    }
    const char *name = buffer->spec.pod_template_ref->name;
    if (!mirror_is_absent(control->manager.mirror, KIND_POD_TEMPLATE)) {
        fail(out, CONDITION_REASON_POD_TEMPLATE_NOT_FOUND,
             arena_format(arena, "podtemplates \"%s\" not found", name));
        return;
    }
    fail(out, CONDITION_REASON_RESOLUTION_FAILED, "PodTemplates cannot be listed");
    out->try_again = true;
}

static void resolve_workload(struct arena *arena, const struct capacity_buffer *buffer,
                             const struct deployment *workload, const struct error *error,
                             struct buffer_resolution *out)
{
    if (buffer_workload_kind(buffer) == KIND_COUNT) {
        fail(out, CONDITION_REASON_RESOLUTION_FAILED,
             arena_format(arena, "scalableRef of unsupported kind %s in group \"%s\"",
                          buffer->spec.scalable_ref->kind,
                          buffer->spec.scalable_ref->api_group != NULL
                              ? buffer->spec.scalable_ref->api_group
                              : ""));
        return;
    }
    if (workload != NULL) { // the three kinds have the same shape
        out->template = &workload->spec.template;
        out->workload = workload->spec.replicas.present ? workload->spec.replicas.value : 1;
        return;
    }
    bool missing = error->kind == ERROR_NOT_FOUND;
    fail(out,
         missing ? CONDITION_REASON_SCALABLE_REF_NOT_FOUND : CONDITION_REASON_RESOLUTION_FAILED,
         arena_copy_string(arena, error->message));
    out->try_again = !missing;
}

struct buffer_resolution buffer_resolve(const struct control *control, struct arena *arena,
                                        const struct capacity_buffer *buffer,
                                        const struct object *workload, const struct error *error)
{
    struct buffer_resolution resolution = {.reason = CONDITION_REASON_RESOLVED, .workload = -1};
    const char *strategy = buffer->spec.provisioning_strategy;
    bool unknown = strategy != NULL && *strategy != '\0' && strcmp(strategy, STRATEGY) != 0;
    if (unknown && control->strategy->refuses_unknown_buffers) // LIF-466
        fail(&resolution, CONDITION_REASON_RESOLUTION_FAILED,
             arena_format(arena, "provisioningStrategy \"%s\" is not served, only " STRATEGY,
                          strategy));
    else if (buffer->spec.pod_template_ref != NULL)
        resolve_template(control, arena, buffer, &resolution);
    else if (buffer->spec.scalable_ref != NULL)
        resolve_workload(arena, buffer, (const struct deployment *)workload, error, &resolution);
    else
        fail(&resolution, CONDITION_REASON_RESOLUTION_FAILED,
             "Neither podTemplateRef nor scalableRef is set");
    return resolution;
}
