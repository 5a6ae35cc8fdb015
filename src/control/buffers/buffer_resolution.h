// What a CapacityBuffer stands for (LIF-242): the pod template that it names, directly or by a
// workload, and how many replicas that workload has.
#pragma once

#include "control/runtime/control.h"
#include "model/schema/condition_reasons.h"

struct buffer_resolution {
    enum condition_reason reason; // of the condition: CONDITION_REASON_RESOLVED, or why not
    const char *message;          // of the condition; NULL: none
    bool try_again;               // it may pass by itself
    const struct pod_template *template;
    const struct object *pod_template; // the PodTemplate, if it is one
    int64_t workload;                  // replicas; -1: the buffer names none
};

static inline bool buffer_is_resolved(const struct buffer_resolution *resolution)
{
    return resolution->reason == CONDITION_REASON_RESOLVED;
}

// The kind of workload that the buffer names, or KIND_COUNT.
enum kind_id buffer_workload_kind(const struct capacity_buffer *buffer);
// The workload must be read from the API: it is not mirrored.
bool buffer_needs_workload(const struct capacity_buffer *buffer);
// The PodTemplate that the buffer names, or NULL.
const struct object *buffer_find_template(const struct control *control,
                                          const struct capacity_buffer *buffer);
// `workload` as it was read, or NULL and the error of reading it. Texts are in `arena` or static.
struct buffer_resolution buffer_resolve(const struct control *control, struct arena *arena,
                                        const struct capacity_buffer *buffer,
                                        const struct object *workload, const struct error *error);
