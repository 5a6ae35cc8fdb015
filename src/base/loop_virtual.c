#include "base/loop_virtual.h"

#include <assert.h>
#include <stdlib.h>

#include "base/loop_internal.h"
#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/vector.h"

#define NOT_SCHEDULED UINT32_MAX

// A queue entry: a running timer or posted work.
struct scheduled {
    int64_t at_ns; // on the monotonic clock
    uint64_t sequence;
    uint32_t heap_index;
    bool is_posted; // owned by the queue; freed after it ran
    bool is_done;   // the `done` of offloaded work: runs in any case
    loop_function function;
    void *context;
};

struct virtual_timer {
    struct timer timer;
    struct scheduled scheduled;
};

struct virtual_loop {
    struct loop loop;
    int64_t wall_start_ns;
    int64_t elapsed_ns;
    int64_t skew_ns;
    uint64_t next_sequence;
    int64_t offload_ns;              // duration of offloaded work
    VECTOR(struct scheduled *) heap; // binary heap, the earliest first
    bool stopping;
};

static const struct loop_operations virtual_operations;

static struct virtual_loop *as_virtual(struct loop *loop)
{
    return (struct virtual_loop *)loop;
}

static struct virtual_timer *as_virtual_timer(struct timer *timer)
{
    return (struct virtual_timer *)timer;
}

static void schedule(struct virtual_loop *loop, struct scheduled *scheduled, int64_t delay_ns);
static void unschedule(struct virtual_loop *loop, struct scheduled *scheduled);
static bool comes_before(const struct scheduled *a, const struct scheduled *b);
static void heap_rise(struct virtual_loop *loop, struct scheduled *moving, uint32_t index);
static void heap_sink(struct virtual_loop *loop, struct scheduled *moving, uint32_t index);

struct loop *loop_create_virtual(int64_t wall_start_ns)
{
    struct virtual_loop *loop = memory_allocate(sizeof *loop);
    loop->loop.operations = &virtual_operations;
    loop->wall_start_ns = wall_start_ns;
    return &loop->loop;
}

static void virtual_destroy(struct loop *base)
{
    struct virtual_loop *loop = as_virtual(base);
    while (loop->heap.count > 0) { // in order of time
        struct scheduled *scheduled = loop->heap.items[0];
        unschedule(loop, scheduled);
        assert(scheduled->is_posted); // every timer is destroyed before
        if (scheduled->is_done)
            scheduled->function(scheduled->context);
        if (scheduled->is_posted)
            free(scheduled);
    }
    vector_free(&loop->heap);
    free(loop);
}

static int64_t virtual_now_ns(const struct loop *base)
{
    const struct virtual_loop *loop = (const struct virtual_loop *)base;
    return ns_add(ns_add(loop->wall_start_ns, loop->elapsed_ns), loop->skew_ns);
}

static int64_t virtual_monotonic_ns(const struct loop *base)
{
    return ((const struct virtual_loop *)base)->elapsed_ns;
}

static void virtual_skew_wall_clock(struct loop *base, int64_t nanoseconds)
{
    struct virtual_loop *loop = as_virtual(base);
    loop->skew_ns = ns_add(loop->skew_ns, nanoseconds);
}

static struct timer *virtual_timer_create(struct loop *loop, loop_function function, void *context)
{
    struct virtual_timer *timer = memory_allocate(sizeof *timer);
    timer->timer = (struct timer){loop, function, context};
    timer->scheduled.function = function;
    timer->scheduled.context = context;
    timer->scheduled.heap_index = NOT_SCHEDULED;
    return &timer->timer;
}

static void virtual_timer_start(struct timer *base, int64_t delay_ns)
{
    struct virtual_timer *timer = as_virtual_timer(base);
    struct virtual_loop *loop = as_virtual(base->loop);
    unschedule(loop, &timer->scheduled);
    schedule(loop, &timer->scheduled, delay_ns);
}

static void virtual_timer_stop(struct timer *timer)
{
    unschedule(as_virtual(timer->loop), &as_virtual_timer(timer)->scheduled);
}

static bool virtual_timer_is_running(const struct timer *timer)
{
    return ((const struct virtual_timer *)timer)->scheduled.heap_index != NOT_SCHEDULED;
}

static void virtual_timer_destroy(struct timer *timer)
{
    virtual_timer_stop(timer);
    free(as_virtual_timer(timer));
}

static void add_posted(struct loop *loop, loop_function function, void *context, bool is_done,
                       int64_t delay_ns)
{
    struct scheduled *scheduled = memory_allocate(sizeof *scheduled);
    scheduled->is_posted = true;
    scheduled->is_done = is_done;
    scheduled->function = function;
    scheduled->context = context;
    scheduled->heap_index = NOT_SCHEDULED;
    schedule(as_virtual(loop), scheduled, delay_ns);
}

static void virtual_post(struct loop *loop, loop_function function, void *context)
{
    add_posted(loop, function, context, false, 0);
}

static void virtual_offload(struct loop *loop, loop_function work, loop_function done,
                            void *context)
{
    work(context);
    add_posted(loop, done, context, true, as_virtual(loop)->offload_ns);
}

void loop_set_offload_time(struct loop *loop, int64_t nanoseconds)
{
    assert(loop->operations == &virtual_operations && nanoseconds >= 0);
    as_virtual(loop)->offload_ns = nanoseconds;
}

void loop_pause(struct loop *loop, int64_t nanoseconds)
{
    assert(loop->operations == &virtual_operations && nanoseconds >= 0);
    as_virtual(loop)->elapsed_ns = ns_add(as_virtual(loop)->elapsed_ns, nanoseconds);
}

// No process, no signals: the simulated world calls its functions itself.
static void virtual_on_signal(struct loop *loop, int signal_number, loop_function function,
                              void *context)
{
    (void)loop, (void)signal_number, (void)function, (void)context;
}

static bool virtual_step(struct loop *base)
{
    struct virtual_loop *loop = as_virtual(base);
    if (loop->heap.count == 0)
        return false;
    struct scheduled *next = loop->heap.items[0];
    assert(next->heap_index == 0);
    if (next->at_ns > loop->elapsed_ns) // else late, after a pause
        loop->elapsed_ns = next->at_ns;
    unschedule(loop, next);
    assert(loop->heap.count == 0 || comes_before(next, loop->heap.items[0]));
    assert(loop->elapsed_ns >= next->at_ns);
    loop_function function = next->function;
    void *context = next->context;
    if (next->is_posted)
        free(next);
    function(context); // may have freed `next` if that is a timer
    return true;
}

static void virtual_run(struct loop *base)
{
    struct virtual_loop *loop = as_virtual(base);
    loop->stopping = false;
    while (!loop->stopping && virtual_step(base))
        ;
}

static void virtual_stop(struct loop *loop)
{
    as_virtual(loop)->stopping = true;
}

static void virtual_run_for(struct loop *base, int64_t duration_ns)
{
    struct virtual_loop *loop = as_virtual(base);
    int64_t until_ns = ns_add(loop->elapsed_ns, duration_ns);
    assert(until_ns >= loop->elapsed_ns);
    loop->stopping = false;
    while (!loop->stopping && loop->heap.count > 0 && loop->heap.items[0]->at_ns <= until_ns)
        virtual_step(base);
    if (!loop->stopping && loop->elapsed_ns < until_ns)
        loop->elapsed_ns = until_ns;
}

static struct event_base *virtual_event_base(struct loop *loop)
{
    (void)loop;
    return NULL;
}

static void schedule(struct virtual_loop *loop, struct scheduled *scheduled, int64_t delay_ns)
{
    assert(scheduled->function != NULL);
    assert(delay_ns >= 0);
    assert(scheduled->heap_index == NOT_SCHEDULED);
    scheduled->at_ns = ns_add(loop->elapsed_ns, delay_ns);
    scheduled->sequence = loop->next_sequence++;
    vector_push(&loop->heap, scheduled);
    heap_rise(loop, scheduled, loop->heap.count - 1);
}

static void unschedule(struct virtual_loop *loop, struct scheduled *scheduled)
{
    uint32_t index = scheduled->heap_index;
    if (index == NOT_SCHEDULED)
        return;
    assert(index < loop->heap.count);
    assert(loop->heap.items[index] == scheduled);
    scheduled->heap_index = NOT_SCHEDULED;
    struct scheduled *last = loop->heap.items[--loop->heap.count];
    if (last == scheduled)
        return;
    heap_rise(loop, last, index);
    heap_sink(loop, last, last->heap_index);
}

static bool comes_before(const struct scheduled *a, const struct scheduled *b)
{
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->sequence < b->sequence;
}

static void heap_place(struct virtual_loop *loop, struct scheduled *scheduled, uint32_t index)
{
    assert(index < loop->heap.count);
    loop->heap.items[index] = scheduled;
    scheduled->heap_index = index;
}

static void heap_rise(struct virtual_loop *loop, struct scheduled *moving, uint32_t index)
{
    while (index > 0) {
        uint32_t parent = (index - 1) / 2;
        if (!comes_before(moving, loop->heap.items[parent]))
            break;
        heap_place(loop, loop->heap.items[parent], index);
        index = parent;
    }
    heap_place(loop, moving, index);
}

static void heap_sink(struct virtual_loop *loop, struct scheduled *moving, uint32_t index)
{
    for (;;) {
        uint32_t child = 2 * index + 1;
        if (child >= loop->heap.count)
            break;
        if (child + 1 < loop->heap.count &&
            comes_before(loop->heap.items[child + 1], loop->heap.items[child]))
            child++;
        if (!comes_before(loop->heap.items[child], moving))
            break;
        heap_place(loop, loop->heap.items[child], index);
        index = child;
    }
    heap_place(loop, moving, index);
}

static const struct loop_operations virtual_operations = {
    .destroy = virtual_destroy,
    .now_ns = virtual_now_ns,
    .monotonic_ns = virtual_monotonic_ns,
    .timer_create = virtual_timer_create,
    .timer_start = virtual_timer_start,
    .timer_stop = virtual_timer_stop,
    .timer_is_running = virtual_timer_is_running,
    .timer_destroy = virtual_timer_destroy,
    .post = virtual_post,
    .offload = virtual_offload,
    .on_signal = virtual_on_signal,
    .run = virtual_run,
    .stop = virtual_stop,
    .run_for = virtual_run_for,
    .event_base = virtual_event_base,
    .skew_wall_clock = virtual_skew_wall_clock,
    .step = virtual_step,
};
