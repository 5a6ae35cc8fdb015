#include "base/loop_real.h"

#include <assert.h>
#include <event2/event.h>
#include <event2/thread.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/loop_internal.h"
#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/vector.h"

#define WORKERS_MAX  3 // a pass, a search for savings and a look for empty nodes at a time
#define DELAY_MAX_NS (HOUR * 24 * 365 * 100) // a bound that timeval arithmetic holds safely

// Posted work, or a job for the workers. A job is posted again, with `done`, after its work ran.
struct task {
    struct task *next;
    loop_function function;
    loop_function done; // NULL for posted work
    void *context;
};

struct task_queue { // first in, first out
    struct task *first, *last;
};

struct signal_handler {
    struct event *event;
    loop_function function;
    void *context;
};

struct real_timer {
    struct timer timer;
    struct event *event;
    bool running;
};

struct real_loop {
    struct loop loop;
    struct event_base *event_base;
    struct event *posted_event;
    VECTOR(struct signal_handler *) signal_handlers;

    pthread_mutex_t mutex; // guards the fields below
    pthread_cond_t job_added, worker_ended;
    struct task_queue posted;
    struct task_queue jobs;
    uint32_t workers_count, workers_idle, workers_ended, jobs_count;
    pthread_t workers[WORKERS_MAX];
    bool closing;
};

static const struct loop_operations real_operations;

static struct real_loop *as_real(struct loop *loop)
{
    return (struct real_loop *)loop;
}

static struct real_timer *as_real_timer(struct timer *timer)
{
    return (struct real_timer *)timer;
}

static void queue_add(struct task_queue *queue, struct task *task);
static struct task *queue_take(struct task_queue *queue);
static void queue_drop(struct task_queue *queue);
static void add_posted(struct real_loop *loop, struct task *task);
static void run_posted(evutil_socket_t fd, short what, void *context);
static void add_worker(struct real_loop *loop);
static void *run_jobs(void *context);

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "adze: %s failed\n", what);
    abort();
}

struct loop *loop_create(void)
{
    if (evthread_use_pthreads() != 0)
        fail("setting up threads");
    struct real_loop *loop = memory_allocate(sizeof *loop);
    loop->loop.operations = &real_operations;
    // Timers must never fire early, whether from a coarse clock or from a time read before a long
    // callback.
    struct event_config *config = event_config_new();
    if (config == NULL || event_config_set_flag(config, EVENT_BASE_FLAG_NO_CACHE_TIME |
                                                            EVENT_BASE_FLAG_PRECISE_TIMER) != 0)
        fail("configuring the event loop");
    loop->event_base = event_base_new_with_config(config);
    event_config_free(config);
    if (loop->event_base == NULL)
        fail("creating the event loop");
    loop->posted_event = event_new(loop->event_base, -1, EV_PERSIST, run_posted, loop);
    if (loop->posted_event == NULL)
        fail("creating the event loop");
    pthread_mutex_init(&loop->mutex, NULL);
    pthread_cond_init(&loop->job_added, NULL);
    pthread_cond_init(&loop->worker_ended, NULL);
    return &loop->loop;
}

static int64_t clock_ns(clockid_t clock)
{
    struct timespec time;
    if (clock_gettime(clock, &time) != 0)
        fail("reading the clock");
    return ns_add(ns_multiply(time.tv_sec, SECOND), time.tv_nsec);
}

// Runs the `done` of offloaded jobs and drops the rest of the queue.
static void finish_jobs(struct task_queue *queue)
{
    for (struct task *task = queue_take(queue); task != NULL; task = queue_take(queue)) {
        if (task->done != NULL)
            task->done(task->context);
        free(task);
    }
}

static void close_workers(struct real_loop *loop)
{
    pthread_mutex_lock(&loop->mutex);
    loop->closing = true;
    pthread_cond_broadcast(&loop->job_added);
    pthread_mutex_unlock(&loop->mutex);
}

static bool real_settle(struct loop *base, int64_t wait_ns)
{
    struct real_loop *loop = as_real(base);
    int64_t until_ns = ns_add(clock_ns(CLOCK_REALTIME), wait_ns);
    struct timespec until = {until_ns / SECOND, until_ns % SECOND};
    close_workers(loop);
    pthread_mutex_lock(&loop->mutex);
    int status = 0;
    while (loop->workers_ended < loop->workers_count && status == 0)
        status = pthread_cond_timedwait(&loop->worker_ended, &loop->mutex, &until);
    bool settled = loop->workers_ended == loop->workers_count;
    pthread_mutex_unlock(&loop->mutex);
    return settled;
}

static void real_destroy(struct loop *base)
{
    struct real_loop *loop = as_real(base);
    close_workers(loop);
    for (uint32_t i = 0; i < loop->workers_count; i++)
        pthread_join(loop->workers[i], NULL);
    assert(loop->workers_idle == 0);
    finish_jobs(&loop->posted);
    finish_jobs(&loop->jobs);
    queue_drop(&loop->posted); // posted by those jobs
    assert(loop->jobs.first == NULL);
    assert(loop->workers_ended == loop->workers_count); // no other thread uses the loop any more
    for (uint32_t i = 0; i < loop->signal_handlers.count; i++) {
        event_free(loop->signal_handlers.items[i]->event);
        free(loop->signal_handlers.items[i]);
    }
    vector_free(&loop->signal_handlers);
    event_free(loop->posted_event);
    event_base_free(loop->event_base);
    pthread_cond_destroy(&loop->job_added);
    pthread_cond_destroy(&loop->worker_ended);
    pthread_mutex_destroy(&loop->mutex);
    free(loop);
}

static int64_t real_now_ns(const struct loop *loop)
{
    (void)loop;
    return clock_ns(CLOCK_REALTIME);
}

static int64_t real_monotonic_ns(const struct loop *loop)
{
    (void)loop;
    return clock_ns(CLOCK_MONOTONIC);
}

static void timer_fired(evutil_socket_t fd, short what, void *context)
{
    (void)fd, (void)what;
    struct real_timer *timer = context;
    assert(timer->running);
    timer->running = false;
    timer->timer.function(timer->timer.context);
}

static struct timer *real_timer_create(struct loop *loop, loop_function function, void *context)
{
    struct real_timer *timer = memory_allocate(sizeof *timer);
    timer->timer = (struct timer){loop, function, context};
    timer->event = evtimer_new(as_real(loop)->event_base, timer_fired, timer);
    if (timer->event == NULL)
        fail("creating a timer");
    return &timer->timer;
}

static struct timeval delay_timeval(int64_t delay_ns)
{
    assert(delay_ns >= 0);
    if (delay_ns > DELAY_MAX_NS)
        delay_ns = DELAY_MAX_NS;
    int64_t microseconds = ns_add(delay_ns, MICROSECOND - 1) / MICROSECOND;
    return (struct timeval){microseconds / 1000000, microseconds % 1000000};
}

static void real_timer_start(struct timer *base, int64_t delay_ns)
{
    struct real_timer *timer = as_real_timer(base);
    struct timeval delay = delay_timeval(delay_ns);
    real_operations.timer_stop(base); // a timer that is due but has not run must wait again
    if (evtimer_add(timer->event, &delay) != 0)
        fail("starting a timer");
    timer->running = true;
}

static void real_timer_stop(struct timer *base)
{
    struct real_timer *timer = as_real_timer(base);
    evtimer_del(timer->event);
    timer->running = false;
}

static bool real_timer_is_running(const struct timer *timer)
{
    return ((const struct real_timer *)timer)->running;
}

static void real_timer_destroy(struct timer *timer)
{
    event_free(as_real_timer(timer)->event);
    free(as_real_timer(timer));
}

static void real_post(struct loop *base, loop_function function, void *context)
{
    struct task *task = memory_allocate(sizeof *task);
    task->function = function;
    task->context = context;
    add_posted(as_real(base), task);
}

static void real_offload(struct loop *base, loop_function work, loop_function done, void *context)
{
    struct real_loop *loop = as_real(base);
    struct task *job = memory_allocate(sizeof *job);
    job->function = work;
    job->done = done;
    job->context = context;
    pthread_mutex_lock(&loop->mutex);
    queue_add(&loop->jobs, job);
    loop->jobs_count++;
    if (!loop->closing && loop->jobs_count > loop->workers_idle &&
        loop->workers_count < WORKERS_MAX)
        add_worker(loop);
    pthread_cond_signal(&loop->job_added);
    pthread_mutex_unlock(&loop->mutex);
}

static void signal_delivered(evutil_socket_t signal_number, short what, void *context)
{
    (void)signal_number, (void)what;
    struct signal_handler *handler = context;
    handler->function(handler->context);
}

static void real_on_signal(struct loop *base, int signal_number, loop_function function,
                           void *context)
{
    struct real_loop *loop = as_real(base);
    struct signal_handler *handler = memory_allocate(sizeof *handler);
    handler->function = function;
    handler->context = context;
    handler->event = evsignal_new(loop->event_base, signal_number, signal_delivered, handler);
    if (handler->event == NULL || evsignal_add(handler->event, NULL) != 0)
        fail("handling a signal");
    vector_push(&loop->signal_handlers, handler);
}

static void real_run(struct loop *loop)
{
    if (event_base_loop(as_real(loop)->event_base, EVLOOP_NO_EXIT_ON_EMPTY) < 0)
        fail("the event loop");
}

static void real_stop(struct loop *loop)
{
    event_base_loopbreak(as_real(loop)->event_base);
}

static void stop_running(void *context)
{
    loop_stop(context);
}

static void real_run_for(struct loop *loop, int64_t duration_ns)
{
    struct timer *timer = real_timer_create(loop, stop_running, loop);
    real_timer_start(timer, duration_ns);
    real_run(loop);
    real_timer_destroy(timer);
}

static struct event_base *real_event_base(struct loop *loop)
{
    return as_real(loop)->event_base;
}

// One activation may stand for many posts, so the whole queue is taken each time. Work posted
// meanwhile runs in the next round, so that timers and sockets get their turn.
static void run_posted(evutil_socket_t fd, short what, void *context)
{
    (void)fd, (void)what;
    struct real_loop *loop = context;
    pthread_mutex_lock(&loop->mutex);
    struct task *stop_before = loop->posted.last;
    struct task *task = queue_take(&loop->posted);
    pthread_mutex_unlock(&loop->mutex);
    while (task != NULL) {
        bool is_last = task == stop_before;
        loop_function function = task->function;
        void *function_context = task->context;
        free(task);
        function(function_context);
        pthread_mutex_lock(&loop->mutex);
        bool stopping = event_base_got_break(loop->event_base);
        task = is_last || stopping ? NULL : queue_take(&loop->posted);
        if (stopping && loop->posted.first != NULL)
            event_active(loop->posted_event, 0, 0);
        pthread_mutex_unlock(&loop->mutex);
    }
}

static void add_posted(struct real_loop *loop, struct task *task)
{
    pthread_mutex_lock(&loop->mutex);
    queue_add(&loop->posted, task);
    pthread_mutex_unlock(&loop->mutex);
    event_active(loop->posted_event, 0, 0);
}

static void add_worker(struct real_loop *loop)
{
    assert(loop->workers_count < WORKERS_MAX);
    // Only the loop thread handles signals.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&loop->workers[loop->workers_count], NULL, run_jobs, loop) != 0)
        fail("starting a worker thread");
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    loop->workers_count++;
}

static void *run_jobs(void *context)
{
    struct real_loop *loop = context;
    pthread_mutex_lock(&loop->mutex);
    while (!loop->closing) {
        struct task *job = queue_take(&loop->jobs);
        if (job == NULL) {
            loop->workers_idle++;
            pthread_cond_wait(&loop->job_added, &loop->mutex);
            loop->workers_idle--;
            continue;
        }
        assert(loop->jobs_count > 0);
        loop->jobs_count--;
        pthread_mutex_unlock(&loop->mutex);
        job->function(job->context);
        job->function = job->done;
        add_posted(loop, job);
        pthread_mutex_lock(&loop->mutex);
    }
    loop->workers_ended++;
    assert(loop->workers_ended <= loop->workers_count);
    pthread_cond_signal(&loop->worker_ended);
    pthread_mutex_unlock(&loop->mutex);
    return NULL;
}

static void queue_add(struct task_queue *queue, struct task *task)
{
    assert(task->function != NULL);
    assert((queue->first == NULL) == (queue->last == NULL));
    task->next = NULL;
    if (queue->last == NULL)
        queue->first = task;
    else
        queue->last->next = task;
    queue->last = task;
}

static struct task *queue_take(struct task_queue *queue)
{
    struct task *task = queue->first;
    if (task == NULL)
        return NULL;
    assert(queue->last != NULL);
    queue->first = task->next;
    if (queue->first == NULL)
        queue->last = NULL;
    return task;
}

static void queue_drop(struct task_queue *queue)
{
    for (struct task *task = queue_take(queue); task != NULL; task = queue_take(queue))
        free(task);
}

static const struct loop_operations real_operations = {
    .destroy = real_destroy,
    .now_ns = real_now_ns,
    .monotonic_ns = real_monotonic_ns,
    .timer_create = real_timer_create,
    .timer_start = real_timer_start,
    .timer_stop = real_timer_stop,
    .timer_is_running = real_timer_is_running,
    .timer_destroy = real_timer_destroy,
    .post = real_post,
    .offload = real_offload,
    .settle = real_settle,
    .on_signal = real_on_signal,
    .run = real_run,
    .stop = real_stop,
    .run_for = real_run_for,
    .event_base = real_event_base,
};
