// The controller capacitybuffer (LIF-240 to LIF-247; gate CapacityBuffer): resolves each
// CapacityBuffer's template and size, tells passes of its placeholder pods, and tells the buffer
// what came of them.
//
// Without the gate there is none of it: every function takes NULL.
#pragma once

#include "control/buffers/buffer_placements.h"

struct capacity_buffers;
struct capacity_buffers *capacity_buffers_create(struct control *control); // NULL: no gate
// Begins to hear changes; until then it may only be passed on.
void capacity_buffers_observe(struct capacity_buffers *buffers);
void capacity_buffers_destroy(struct capacity_buffers *buffers);
// CapacityBuffers and PodTemplates. Workloads are asked for one by one: they are few, and a mirror
// of all pod templates would be large.
void capacity_buffers_watch(struct mirror *mirror);

// Some buffer has placeholder pods.
bool capacity_buffers_want_pass(const struct capacity_buffers *buffers);
// Buffers, their templates and workloads; placeholders on their way; the nodes that hold some.
void capacity_buffers_add(struct capacity_buffers *buffers, struct snapshot *snapshot);
// A pass with placeholders was planned; then its NodeClaims are created, or may have been.
void capacity_buffers_note_plan(struct capacity_buffers *buffers, const struct snapshot *snapshot,
                                const struct plan *plan);
void capacity_buffers_note_claim(struct capacity_buffers *buffers, const struct pod *placeholder,
                                 const char *claim);
// Where the placeholders are is known, or there are none (LIF-245): nodes may be taken for empty.
bool capacity_buffers_settled(const struct capacity_buffers *buffers);
