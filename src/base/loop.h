// The clock and I/O port: timers, posted work, offloaded computation, signals.
//
// Two implementations behind one interface. Real: libevent, wall-clock time, worker threads for
// loop_offload(). Virtual: a priority queue ordered by (time, order of scheduling); time jumps to
// the next event; offloaded work runs inline. The same program runs on either; nothing else in adze
// reads a clock.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/loop_function.h"

// Every timer must be destroyed before. Waits for offloaded work that has begun; drops work that
// has not begun and posts not yet delivered. Runs every `done` that is still due, so that it can
// free its context: it must not rely on anything else that may be gone.
void loop_destroy(struct loop *loop);
bool loop_is_virtual(const struct loop *loop);

// Wall clock, nanoseconds since the Unix epoch. On a virtual loop: virtual time plus the skew
// below.
int64_t loop_now_ns(const struct loop *loop);
// Never goes back; for measuring and deadlines.
int64_t loop_monotonic_ns(const struct loop *loop);
// Virtual only: clock jumps of the simulated world (changes loop_now_ns, not the monotonic clock).
void loop_skew_wall_clock(struct loop *loop, int64_t nanoseconds);

// One-shot timers. timer_start() on a running timer moves it. Callbacks run on the loop's thread
// and may start, stop or destroy any timer, themselves included.
struct timer *timer_create_on(struct loop *loop, loop_function function, void *context);
void timer_start(struct timer *timer, int64_t delay_ns); // negative counts as 0
void timer_stop(struct timer *timer);
bool timer_is_running(const struct timer *timer);
void timer_destroy(struct timer *timer); // NULL is fine

// Runs function once, soon, on the loop's thread; callable from any thread on a real loop.
void loop_post(struct loop *loop, loop_function function, void *context);
// Runs work on a worker thread (virtual: inline, at once), then done on the loop's thread. done
// runs exactly once; without the work only if the loop is destroyed before its turn.
void loop_offload(struct loop *loop, loop_function work, loop_function done, void *context);
// Begins no more offloaded work and waits up to `wait_ns` for work under way. Returns false if some
// is still running: loop_destroy() would block on it, so a process that must exit skips
// loop_destroy(). Virtual: always true.
bool loop_settle(struct loop *loop, int64_t wait_ns) MUST_USE;
// Real loops: function runs on the loop's thread for each delivery of the signal.
void loop_on_signal(struct loop *loop, int signal_number, loop_function function, void *context);

// Runs until loop_stop(), or (virtual) until nothing is scheduled. loop_stop() ends the current
// run; it is called on the loop's thread (post it from elsewhere) and has no effect between runs.
void loop_run(struct loop *loop);
void loop_stop(struct loop *loop);
// Virtual: runs everything due up to and including `duration_ns` from now; time ends there.
// Real: runs for that long.
void loop_run_for(struct loop *loop, int64_t duration_ns);
// Virtual only: runs the next event; false if there is none.
bool loop_step(struct loop *loop);

// NULL on a virtual loop.
struct event_base *loop_event_base(struct loop *loop);
