// The status of a CapacityBuffer (LIF-242, LIF-246): its resolution, and the outcome of its
// placeholders in the last pass.
#pragma once

#include "control/buffers/buffer_placements.h"
#include "control/buffers/buffer_resolution.h"
#include "reconcile/conditions.h"

// ReadyForProvisioning and Provisioning. `size`: of placeholders; `outcome` NULL: the last pass had
// none of them.
void buffer_status_conditions(struct conditions *conditions,
                              const struct buffer_resolution *resolution, int64_t size,
                              const struct buffer_outcome *outcome);
// The other changed fields: a merge patch, possibly empty, that the caller owns.
json_t *buffer_status_patch(const struct capacity_buffer *buffer,
                            const struct buffer_resolution *resolution, int64_t size);
