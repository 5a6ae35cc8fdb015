// Placeholder pods of CapacityBuffers: their number and their form (LIF-241, LIF-244). The decision
// and the controller that resolves buffers share it.
#pragma once

#include "model/schema/core.h"
#include "model/schema/karpenter.h"

#define ANNOTATION_PLACEHOLDER        "karpenter.sh/capacity-buffer-fake-pod"
#define ANNOTATION_PLACEHOLDER_BUFFER "karpenter.sh/capacity-buffer-name"
#define PLACEHOLDERS_MAX              1000000 // of one buffer, and of all together

// LIF-241. `workload`: replicas of the workload that the buffer names; -1 without one.
int64_t buffer_size(struct arena *scratch, const struct capacity_buffer *buffer,
                    const struct pod_template *template, int64_t workload);

// LIF-244: placeholder `number` of the buffer, from 1. In `arena`; points into the buffer and the
// template.
struct pod *placeholder_make(struct arena *arena, const struct capacity_buffer *buffer,
                             const struct pod_template *template, uint32_t number, int64_t time);
bool pod_is_placeholder(const struct pod *pod);
