// Private to base/: what the two implementations of the loop provide.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/loop_function.h"

struct loop_operations {
    void (*destroy)(struct loop *loop);
    int64_t (*now_ns)(const struct loop *loop);
    int64_t (*monotonic_ns)(const struct loop *loop);
    struct timer *(*timer_create)(struct loop *loop, loop_function function, void *context);
    void (*timer_start)(struct timer *timer, int64_t delay_ns);
    void (*timer_stop)(struct timer *timer);
    bool (*timer_is_running)(const struct timer *timer);
    void (*timer_destroy)(struct timer *timer);
    void (*post)(struct loop *loop, loop_function function, void *context);
    void (*offload)(struct loop *loop, loop_function work, loop_function done, void *context);
    bool (*settle)(struct loop *loop, int64_t wait_ns); // NULL: nothing is ever under way
    void (*on_signal)(struct loop *loop, int signal_number, loop_function function, void *context);
    void (*run)(struct loop *loop);
    void (*stop)(struct loop *loop);
    void (*run_for)(struct loop *loop, int64_t duration_ns);
    struct event_base *(*event_base)(struct loop *loop);
    // NULL on a real loop:
    void (*skew_wall_clock)(struct loop *loop, int64_t nanoseconds);
    bool (*step)(struct loop *loop);
};

// Both are the first member of the implementation's own struct.
struct loop {
    const struct loop_operations *operations;
};
struct timer {
    struct loop *loop;
    loop_function function;
    void *context;
};
