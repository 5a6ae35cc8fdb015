#include "reconcile/reconcile_queue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/nanoseconds.h"
#include "reconcile/due_heap.h"

#define RUNS_PER_TURN        128 // after these the loop's other work gets its turn
#define CONFLICT_BASE_MAX_NS (50 * MILLISECOND)
#define CONFLICT_MAX_NS \
    (2 * SECOND) // bounds the delay for an object with many other writers (LIF-471)

struct work_item {
    struct due due; // first: waiting entries of the heap are items
    struct reconcile_queue *queue;
    char *key;
    bool ready, in_work, again; // `again`: events came in while in work
    uint32_t failures;
    uint32_t conflicts; // in a row
    int64_t ready_since_ns, started_ns;
    int64_t after_ns; // requested while in work; -1 none
    struct work_item *next_ready;
};

struct reconcile_queue {
    struct loop *loop;
    const struct queue_metrics *metrics;
    struct reconcile_queue_options options;
    char *name, *kind;
    struct map *items;
    struct work_item *first_ready, *last_ready;
    uint32_t ready_count, in_work_count;
    struct due_heap waiting;
    struct timer *pump_timer, *due_timer;
    bool started, stopped, pumping;
    double tokens;
    int64_t tokens_at_ns;
};

static void pump(void *context);
static void wake_due(void *context);
static void schedule(struct reconcile_queue *queue);

const char *work_item_key(const struct work_item *item)
{
    return item->key;
}

struct reconcile_queue *work_item_queue(const struct work_item *item)
{
    return item->queue;
}

struct reconcile_queue *reconcile_queue_create(struct loop *loop,
                                               const struct queue_metrics *metrics,
                                               const struct reconcile_queue_options *options)
{
    assert(options->name != NULL);
    assert(options->reconcile != NULL);
    struct reconcile_queue *queue = memory_allocate(sizeof *queue);
    queue->loop = loop;
    queue->metrics = metrics;
    queue->options = *options;
    queue->name = memory_copy_string(options->name);
    queue->kind = memory_copy_string(options->kind);
    if (queue->options.concurrency == 0)
        queue->options.concurrency = 1;
    if (queue->options.backoff_base_ns == 0)
        queue->options.backoff_base_ns = 5 * MILLISECOND;
    if (queue->options.backoff_max_ns == 0)
        queue->options.backoff_max_ns = MINUTE;
    assert(queue->options.backoff_base_ns > 0);
    assert(queue->options.backoff_base_ns <= queue->options.backoff_max_ns);
    assert(options->rate >= 0);
    assert(options->rate == 0 || options->burst > 0);
    queue->items = map_create();
    queue->pump_timer = timer_create_on(loop, pump, queue);
    queue->due_timer = timer_create_on(loop, wake_due, queue);
    queue->tokens = options->burst;
    queue->tokens_at_ns = loop_monotonic_ns(loop);
    metric_set(metrics->max_concurrent, queue->options.concurrency, queue->name);
    for (size_t i = 0; i < ARRAY_LENGTH(metrics->never); i++)
        metric_add(metrics->never[i], 0, queue->name);
    return queue;
}

static void item_destroy(void *value)
{
    struct work_item *item = value;
    free(item->key);
    free(item);
}

void reconcile_queue_destroy(struct reconcile_queue *queue)
{
    if (queue == NULL)
        return;
    assert(!queue->pumping);
    timer_destroy(queue->pump_timer);
    timer_destroy(queue->due_timer);
    map_destroy(queue->items, item_destroy);
    due_heap_free(&queue->waiting);
    free(queue->name);
    free(queue->kind);
    free(queue);
}

void reconcile_queue_start(struct reconcile_queue *queue)
{
    assert(!queue->started);
    assert(!queue->stopped);
    queue->started = true;
    schedule(queue);
}

void reconcile_queue_stop(struct reconcile_queue *queue)
{
    queue->stopped = true;
    timer_stop(queue->pump_timer);
    timer_stop(queue->due_timer);
}

static void wait_until(struct work_item *item, int64_t due_ns)
{
    assert(!item->ready);
    assert(!item->in_work);
    due_heap_put(&item->queue->waiting, &item->due, due_ns);
}

// --- adding --------------------------------------------------------------------------------------
static struct work_item *item_get(struct reconcile_queue *queue, const char *key)
{
    assert(key != NULL);
    struct work_item *item = map_get(queue->items, key);
    if (item != NULL)
        return item;
    item = memory_allocate(sizeof *item);
    item->queue = queue;
    item->key = memory_copy_string(key);
    item->after_ns = -1;
    map_set(queue->items, key, item);
    return item;
}

static void item_drop_if_idle(struct work_item *item)
{
    if (item->ready || item->in_work || item->due.index > 0 || item->failures > 0)
        return;
    assert(!item->again);
    map_remove(item->queue->items, item->key);
    item_destroy(item);
}

static void schedule(struct reconcile_queue *queue)
{
    assert(queue->in_work_count <= queue->options.concurrency);
    if (!queue->started || queue->stopped || queue->pumping)
        return;
    if (queue->ready_count > 0 && queue->in_work_count < queue->options.concurrency &&
        !timer_is_running(queue->pump_timer))
        timer_start(queue->pump_timer, 0);
    const struct due *first = due_heap_first(&queue->waiting);
    if (first != NULL)
        timer_start(queue->due_timer, ns_subtract(first->at_ns, loop_monotonic_ns(queue->loop)));
    else
        timer_stop(queue->due_timer);
}

static void make_ready(struct work_item *item)
{
    struct reconcile_queue *queue = item->queue;
    due_heap_remove(&queue->waiting, &item->due);
    if (item->ready)
        return;
    if (item->in_work) {
        item->again = true;
        return;
    }
    assert(item->due.index == 0);
    assert((queue->first_ready == NULL) == (queue->ready_count == 0));
    item->ready = true;
    item->ready_since_ns = loop_monotonic_ns(queue->loop);
    item->next_ready = NULL;
    if (queue->last_ready != NULL)
        queue->last_ready->next_ready = item;
    else
        queue->first_ready = item;
    queue->last_ready = item;
    queue->ready_count++;
    metric_add(queue->metrics->adds, 1, queue->name, queue->name);
    metric_set(queue->metrics->depth, queue->ready_count, queue->name, queue->name, "");
}

void reconcile_queue_add(struct reconcile_queue *queue, const char *key)
{
    make_ready(item_get(queue, key));
    schedule(queue);
}

void reconcile_queue_add_after(struct reconcile_queue *queue, const char *key, int64_t delay_ns)
{
    if (delay_ns <= 0) {
        reconcile_queue_add(queue, key);
        return;
    }
    struct work_item *item = item_get(queue, key);
    if (item->in_work && (item->after_ns < 0 || delay_ns < item->after_ns))
        item->after_ns = delay_ns;
    if (item->ready || item->in_work)
        return;
    wait_until(item, ns_add(loop_monotonic_ns(queue->loop), delay_ns));
    schedule(queue);
}

void reconcile_queue_forget(struct reconcile_queue *queue, const char *key)
{
    struct work_item *item = map_get(queue->items, key);
    if (item == NULL)
        return;
    due_heap_remove(&queue->waiting, &item->due);
    item->failures = 0;
    item->again = false;
    item->after_ns = -1;
    item_drop_if_idle(item);
    schedule(queue);
}

// --- working -------------------------------------------------------------------------------------
static void wake_due(void *context)
{
    struct reconcile_queue *queue = context;
    assert(queue->started);
    assert(!queue->stopped);
    int64_t now = loop_monotonic_ns(queue->loop);
    for (struct due *first;
         (first = due_heap_first(&queue->waiting)) != NULL && first->at_ns <= now;)
        make_ready((struct work_item *)first);
    schedule(queue);
}

static struct work_item *take_ready(struct reconcile_queue *queue)
{
    struct work_item *item = queue->first_ready;
    assert(item != NULL);
    assert(item->ready);
    assert(queue->ready_count > 0);
    queue->first_ready = item->next_ready;
    if (queue->first_ready == NULL)
        queue->last_ready = NULL;
    queue->ready_count--;
    item->ready = false;
    return item;
}

static void item_end(struct work_item *item, struct reconcile_result result,
                     const struct error *error, bool operation);

static void work_on(struct reconcile_queue *queue, struct work_item *item)
{
    assert(!item->in_work);
    assert(queue->in_work_count < queue->options.concurrency);
    int64_t now = loop_monotonic_ns(queue->loop);
    item->in_work = true;
    item->started_ns = now;
    queue->in_work_count++;
    metric_observe(queue->metrics->queue_seconds,
                   (double)ns_subtract(now, item->ready_since_ns) / SECOND, queue->name,
                   queue->name);
    struct error error = {0};
    struct reconcile_result result = queue->options.reconcile(queue->options.context, item, &error);
    assert(result.status <= RECONCILE_RUNNING);
    assert(result.status != RECONCILE_ERROR || error.kind != ERROR_NONE);
    if (result.status != RECONCILE_RUNNING)
        item_end(item, result, &error, false);
}

static void pump(void *context)
{
    struct reconcile_queue *queue = context;
    assert(queue->started);
    assert(!queue->pumping);
    queue->pumping = true;
    for (uint32_t runs = 0; runs < RUNS_PER_TURN && queue->ready_count > 0 && !queue->stopped &&
                            queue->in_work_count < queue->options.concurrency;
         runs++)
        work_on(queue, take_ready(queue));
    queue->pumping = false;
    metric_set(queue->metrics->depth, queue->ready_count, queue->name, queue->name, "");
    metric_set(queue->metrics->active, queue->in_work_count, queue->name);
    schedule(queue);
}

// Delay until the overall retry rate allows one more.
static int64_t take_token(struct reconcile_queue *queue)
{
    if (queue->options.rate <= 0)
        return 0;
    int64_t now = loop_monotonic_ns(queue->loop);
    queue->tokens += ns_to_seconds(ns_subtract(now, queue->tokens_at_ns)) * queue->options.rate;
    if (queue->tokens > queue->options.burst)
        queue->tokens = queue->options.burst;
    queue->tokens_at_ns = now;
    queue->tokens -= 1;
    assert(queue->tokens <= queue->options.burst);
    return queue->tokens >= 0 ? 0 : ns_from_seconds(-queue->tokens / queue->options.rate);
}

static int64_t backoff(struct work_item *item, bool conflict)
{
    struct reconcile_queue *queue = item->queue;
    int64_t delay = queue->options.backoff_base_ns, most = queue->options.backoff_max_ns;
    if (conflict && delay > CONFLICT_BASE_MAX_NS)
        delay = CONFLICT_BASE_MAX_NS;
    if (conflict && most > CONFLICT_MAX_NS)
        most = CONFLICT_MAX_NS;
    assert(delay > 0);
    assert(delay <= most);
    uint32_t *count = conflict ? &item->conflicts : &item->failures;
    for (uint32_t i = 0; i < *count && delay < most; i++)
        delay = ns_multiply(2, delay);
    if (delay > most)
        delay = most;
    (*count)++;
    metric_add(queue->metrics->retries, 1, queue->name, queue->name);
    int64_t wait = conflict ? 0 : take_token(queue);
    return delay > wait ? delay : wait;
}

static void log_failure(const struct work_item *item, const struct error *error)
{
    const struct reconcile_queue *queue = item->queue;
    struct text kind = {0};
    if (queue->kind != NULL)
        text_format(&kind, "o:%s", queue->kind);
    if (queue->kind != NULL)
        log_error("Reconciler error", "s:controller", queue->name, "s:error", error->message,
                  kind.data, item->key);
    else
        log_error("Reconciler error", "s:controller", queue->name, "s:error", error->message);
    text_free(&kind);
}

static const char *result_name(struct reconcile_result result, bool operation)
{
    switch (result.status) {
    case RECONCILE_ERROR:
        return "error";
    case RECONCILE_AFTER:
        return "requeue_after";
    case RECONCILE_BACKOFF:
    case RECONCILE_CONFLICT:
        return "requeue";
    case RECONCILE_DONE:
    case RECONCILE_RUNNING:
        break;
    }
    return operation ? "requeue" : "success";
}

static void item_end(struct work_item *item, struct reconcile_result result,
                     const struct error *error, bool operation)
{
    assert(item->in_work);
    assert(item->due.index == 0);
    assert(result.status != RECONCILE_AFTER ||
           result.after_ns >= 0); // otherwise it would never return
    struct reconcile_queue *queue = item->queue;
    double seconds = (double)ns_subtract(loop_monotonic_ns(queue->loop), item->started_ns) / SECOND;
    metric_observe(queue->metrics->work_seconds, seconds, queue->name, queue->name);
    metric_observe(queue->metrics->reconcile_seconds, seconds, queue->name);
    metric_add(queue->metrics->reconcile_total, 1, queue->name, result_name(result, operation));
    item->in_work = false;
    assert(queue->in_work_count > 0);
    queue->in_work_count--;
    bool again = item->again || operation;
    int64_t after = item->after_ns;
    item->again = false;
    item->after_ns = -1;
    bool conflict = result.status == RECONCILE_CONFLICT;
    if (!conflict)
        item->conflicts = 0;
    if (result.status == RECONCILE_ERROR || result.status == RECONCILE_BACKOFF || conflict) {
        if (result.status == RECONCILE_ERROR) {
            metric_add(queue->metrics->reconcile_errors, 1, queue->name);
            log_failure(item, error);
        }
        // An event that arrived meanwhile does not shorten the back-off of a failing item: the same
        // failure would follow.
        wait_until(item, ns_add(loop_monotonic_ns(queue->loop), backoff(item, conflict)));
    } else {
        if (!operation)
            item->failures = 0;
        if (again)
            make_ready(item);
        else if (result.status == RECONCILE_AFTER)
            after = after < 0 || result.after_ns < after ? result.after_ns : after;
        if (!again && after >= 0)
            wait_until(item, ns_add(loop_monotonic_ns(queue->loop), after));
        item_drop_if_idle(item);
    }
    schedule(queue);
}

void reconcile_queue_finish(struct work_item *item, struct reconcile_result result,
                            const struct error *error)
{
    assert(result.status < RECONCILE_RUNNING);
    assert(result.status != RECONCILE_ERROR || error != NULL);
    bool operation = result.status == RECONCILE_DONE;
    item_end(item, result, error, operation);
}

void reconcile_queue_work(const struct reconcile_queue *queue, double *unfinished_seconds,
                          double *longest_seconds)
{
    int64_t now_ns = loop_monotonic_ns(queue->loop);
    *unfinished_seconds = *longest_seconds = 0;
    for (struct map_entry *at = queue->in_work_count > 0 ? map_first(queue->items) : NULL;
         at != NULL; at = map_next(at)) {
        const struct work_item *item = map_value(at);
        double seconds = (double)ns_subtract(now_ns, item->started_ns) / SECOND;
        if (!item->in_work)
            continue;
        *unfinished_seconds += seconds;
        if (seconds > *longest_seconds)
            *longest_seconds = seconds;
    }
}

const char *reconcile_queue_name(const struct reconcile_queue *queue)
{
    return queue->name;
}

uint32_t reconcile_queue_in_work(const struct reconcile_queue *queue)
{
    return queue->in_work_count;
}

uint32_t reconcile_queue_failures(const struct reconcile_queue *queue, const char *key)
{
    const struct work_item *item = map_get(queue->items, key);
    return item != NULL ? item->failures : 0;
}

bool reconcile_queue_has(const struct reconcile_queue *queue, const char *key)
{
    const struct work_item *item = map_get(queue->items, key);
    return item != NULL && (item->ready || item->in_work || item->due.index > 0);
}
