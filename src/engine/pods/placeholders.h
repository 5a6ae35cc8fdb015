// Placeholder pods of CapacityBuffers: how many a buffer is worth and what one looks like (LIF-241,
// LIF-244). Shared by the decision and by the controller that resolves buffers.
#pragma once

#include "model/schema/core.h"
#include "model/schema/karpenter.h"

#define ANNOTATION_PLACEHOLDER        "karpenter.sh/capacity-buffer-fake-pod"
#define ANNOTATION_PLACEHOLDER_BUFFER "karpenter.sh/capacity-buffer-name"
#define PLACEHOLDERS_MAX              1000000 // of one buffer, and of all

// LIF-241. `workload`: replicas of the workload that the buffer names, -1 if it names none.
int64_t buffer_size(struct arena *scratch, const struct capacity_buffer *buffer,
                    const struct pod_template *template, int64_t workload);

// LIF-244: the buffer's placeholder with that number, from 1. In `arena`; points into the buffer
// and the template.
struct pod *placeholder_make(struct arena *arena, const struct capacity_buffer *buffer,
                             const struct pod_template *template, uint32_t number, int64_t time);
bool pod_is_placeholder(const struct pod *pod);
