// The controller capacitybuffer (LIF-240 to LIF-247; gate CapacityBuffer): it resolves each
// CapacityBuffer's template and size, adds its placeholder pods to passes, and writes their outcome
// into its status.
//
// It is off without the gate: every function takes NULL.
#pragma once

#include "control/buffers/buffer_placements.h"

struct capacity_buffers;
struct capacity_buffers *capacity_buffers_create(struct control *control); // NULL: no gate
// Registers its handlers; until then it may only be passed on.
void capacity_buffers_observe(struct capacity_buffers *buffers);
void capacity_buffers_destroy(struct capacity_buffers *buffers);
// CapacityBuffers and PodTemplates. Workloads are read one by one: they are few, and a mirror of
// all pod templates would be large.
void capacity_buffers_watch(struct mirror *mirror);

// Some buffer has placeholder pods.
bool capacity_buffers_need_pass(const struct capacity_buffers *buffers);
// Adds buffers, their templates and workloads, placeholders of unlaunched NodeClaims, and the nodes
// with placeholders.
void capacity_buffers_add(struct capacity_buffers *buffers, struct snapshot *snapshot);
// A pass with placeholders was planned; then its NodeClaims are created, or may have been.
void capacity_buffers_note_plan(struct capacity_buffers *buffers, const struct snapshot *snapshot,
                                const struct plan *plan);
void capacity_buffers_note_claim(struct capacity_buffers *buffers, const struct pod *placeholder,
                                 const char *claim);
// The places of all placeholders are known, or there are none (LIF-245): nodes may count as empty.
bool capacity_buffers_settled(const struct capacity_buffers *buffers);
