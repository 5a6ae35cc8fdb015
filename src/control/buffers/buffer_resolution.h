// Resolution of a CapacityBuffer (LIF-242): the pod template that it references, directly or by a
// workload, and that workload's replicas.
#pragma once

#include "control/runtime/control.h"
#include "model/schema/condition_reasons.h"

struct buffer_resolution {
    enum condition_reason reason; // of the condition: CONDITION_REASON_RESOLVED, or the failure
    const char *message;          // of the condition; NULL: none
    bool try_again;               // the failure may be temporary
    const struct pod_template *template;
    const struct object *pod_template; // the PodTemplate, if the buffer references one
    int64_t workload;                  // replicas; -1: the buffer references none
};

static inline bool buffer_is_resolved(const struct buffer_resolution *resolution)
{
    return resolution->reason == CONDITION_REASON_RESOLVED;
}

// The kind of workload that the buffer references, or KIND_COUNT.
enum kind_id buffer_workload_kind(const struct capacity_buffer *buffer);
// The workload must be read from the API: it is not mirrored.
bool buffer_needs_workload(const struct capacity_buffer *buffer);
// The PodTemplate that the buffer references, or NULL.
const struct object *buffer_find_template(const struct control *control,
                                          const struct capacity_buffer *buffer);
// `workload` as read, or NULL and the error of the read. Texts are in `arena` or static.
struct buffer_resolution buffer_resolve(const struct control *control, struct arena *arena,
                                        const struct capacity_buffer *buffer,
                                        const struct object *workload, const struct error *error);
