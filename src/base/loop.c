#include "base/loop.h"

#include <assert.h>
#include <stddef.h>

#include "base/loop_internal.h"

void loop_destroy(struct loop *loop)
{
    if (loop != NULL)
        loop->operations->destroy(loop);
}

bool loop_is_virtual(const struct loop *loop)
{
    return loop->operations->step != NULL;
}

int64_t loop_now_ns(const struct loop *loop)
{
    return loop->operations->now_ns(loop);
}

int64_t loop_monotonic_ns(const struct loop *loop)
{
    return loop->operations->monotonic_ns(loop);
}

void loop_skew_wall_clock(struct loop *loop, int64_t nanoseconds)
{
    assert(loop_is_virtual(loop));
    loop->operations->skew_wall_clock(loop, nanoseconds);
}

struct timer *timer_create_on(struct loop *loop, loop_function function, void *context)
{
    assert(loop != NULL);
    assert(function != NULL);
    return loop->operations->timer_create(loop, function, context);
}

void timer_start(struct timer *timer, int64_t delay_ns)
{
    assert(timer != NULL);
    timer->loop->operations->timer_start(timer, delay_ns > 0 ? delay_ns : 0);
}

void timer_stop(struct timer *timer)
{
    assert(timer != NULL);
    timer->loop->operations->timer_stop(timer);
}

bool timer_is_running(const struct timer *timer)
{
    return timer->loop->operations->timer_is_running(timer);
}

void timer_destroy(struct timer *timer)
{
    if (timer != NULL)
        timer->loop->operations->timer_destroy(timer);
}

void loop_post(struct loop *loop, loop_function function, void *context)
{
    assert(loop != NULL);
    assert(function != NULL);
    loop->operations->post(loop, function, context);
}

void loop_offload(struct loop *loop, loop_function work, loop_function done, void *context)
{
    assert(loop != NULL);
    assert(work != NULL);
    assert(done != NULL);
    loop->operations->offload(loop, work, done, context);
}

bool loop_settle(struct loop *loop, int64_t wait_ns)
{
    assert(wait_ns >= 0);
    return loop->operations->settle == NULL || loop->operations->settle(loop, wait_ns);
}

void loop_on_signal(struct loop *loop, int signal_number, loop_function function, void *context)
{
    assert(signal_number > 0);
    assert(function != NULL);
    loop->operations->on_signal(loop, signal_number, function, context);
}

void loop_run(struct loop *loop)
{
    loop->operations->run(loop);
}

void loop_stop(struct loop *loop)
{
    loop->operations->stop(loop);
}

void loop_run_for(struct loop *loop, int64_t duration_ns)
{
    loop->operations->run_for(loop, duration_ns > 0 ? duration_ns : 0);
}

bool loop_step(struct loop *loop)
{
    assert(loop_is_virtual(loop));
    return loop->operations->step(loop);
}

struct event_base *loop_event_base(struct loop *loop)
{
    return loop->operations->event_base(loop);
}
