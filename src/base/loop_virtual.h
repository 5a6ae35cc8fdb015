#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/loop.h"

struct loop *loop_create_virtual(int64_t wall_start_ns);
// Virtual only: advances the time without running anything, like a stopped process. Events that
// became due run afterwards, in order.
void loop_pause(struct loop *loop, int64_t nanoseconds);
// Virtual only: from now on `done` runs this long after its offloaded work began (0 until then),
// like a busy worker thread.
void loop_set_offload_time(struct loop *loop, int64_t nanoseconds);
