#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/loop.h"

struct loop *loop_create_virtual(int64_t wall_start_ns);
// Virtual only: so much time passes in which nothing runs, as while the process is stopped. What
// has become due by then runs afterwards, in its order.
void loop_pause(struct loop *loop, int64_t nanoseconds);
// Virtual only: from now on `done` comes so long after offloaded work has begun (0 until then), as
// if a worker thread were busy for that time.
void loop_set_offload_time(struct loop *loop, int64_t nanoseconds);
