#include "sim/scheduler/scheduler_queue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"

#define BACKOFF_WINDOW_NS SECOND // back-offs that end in the same second end together

static void heap_add(struct pod_heap *heap, struct scheduled_pod *entry);
static void heap_remove(struct pod_heap *heap, uint32_t position);
static struct scheduled_pod *heap_pop(struct pod_heap *heap); // NULL: it is empty
static void leave_heap(struct scheduler *scheduler, struct scheduled_pod *entry);

static void wake(struct scheduler *scheduler)
{
    if (!timer_is_running(scheduler->cycle))
        timer_start(scheduler->cycle, scheduler->world->options.scheduler_pod_ns);
}

void scheduler_activate(struct scheduler *scheduler, struct scheduled_pod *entry)
{
    if (entry->state == POD_ACTIVE && entry->position != UINT32_MAX)
        return;
    leave_heap(scheduler, entry);
    entry->state = POD_ACTIVE;
    heap_add(&scheduler->active, entry);
    wake(scheduler);
}

struct scheduled_pod *scheduler_pop(struct scheduler *scheduler)
{
    struct scheduled_pod *entry = heap_pop(&scheduler->active);
    return entry != NULL ? entry : heap_pop(&scheduler->backed_off);
}

void scheduler_forget(struct scheduler *scheduler, struct scheduled_pod *entry)
{
    leave_heap(scheduler, entry);
    work_queue_forget(scheduler->later, entry->key);
    work_queue_forget(scheduler->bindings, entry->key);
    map_remove(scheduler->bindings_under_way, entry->key);
    map_remove(scheduler->entries, entry->key);
    free(entry->key);
    free(entry->node);
    free(entry);
}

// One second after the first attempt, twice that after the second, and so on.
static int64_t pause_after(const struct world_options *options, uint32_t attempts)
{
    int64_t pause_ns = options->scheduler_backoff_ns;
    for (uint32_t i = 1; i < attempts && pause_ns < options->scheduler_backoff_max_ns; i++)
        pause_ns = ns_multiply(pause_ns, 2);
    return ns_minimum(pause_ns, options->scheduler_backoff_max_ns);
}

void scheduler_give_up(struct scheduler *scheduler, struct scheduled_pod *entry)
{
    const struct world_options *options = &scheduler->world->options;
    int64_t pause_ns = pause_after(options, entry->attempts);
    map_remove(scheduler->bindings_under_way, entry->key);
    free(entry->node);
    entry->node = NULL;
    entry->queued_at = loop_monotonic_ns(scheduler->world->loop);
    entry->backoff_until = ns_add(entry->queued_at, pause_ns);
    entry->state = entry->reasons == 0 ? POD_BACKED_OFF : POD_UNSCHEDULABLE;
    work_queue_forget(scheduler->later, entry->key);
    work_queue_add_after(scheduler->later, entry->key,
                         entry->reasons == 0 ? pause_ns : options->scheduler_retry_ns);
}

void scheduler_requeue(struct scheduler *scheduler, struct scheduled_pod *entry)
{
    int64_t now_ns = loop_monotonic_ns(scheduler->world->loop);
    if (entry->state == POD_ACTIVE || entry->state == POD_BACKED_OFF)
        return;
    if (entry->backoff_until <= now_ns) {
        scheduler_activate(scheduler, entry);
        return;
    }
    entry->state = POD_BACKED_OFF;
    heap_add(&scheduler->backed_off, entry);
    if (!timer_is_running(scheduler->backoff_over))
        timer_start(scheduler->backoff_over,
                    ns_subtract(BACKOFF_WINDOW_NS, now_ns % BACKOFF_WINDOW_NS));
    wake(scheduler);
}

// Once a second: requeues pods whose back-off is over.
void scheduler_end_backoffs(void *context)
{
    struct scheduler *scheduler = context;
    int64_t now_ns = loop_monotonic_ns(scheduler->world->loop);
    while (scheduler->backed_off.items.count > 0 &&
           scheduler->backed_off.items.items[0]->backoff_until <= now_ns)
        scheduler_activate(scheduler, scheduler->backed_off.items.items[0]);
    if (scheduler->backed_off.items.count > 0)
        timer_start(scheduler->backoff_over, BACKOFF_WINDOW_NS);
}

// The back-off after an error is over, or the pod has waited long enough to be retried anyway.
void scheduler_take_waiting(void *context, const char *key)
{
    struct scheduler *scheduler = context;
    struct scheduled_pod *entry = map_get(scheduler->entries, key);
    if (entry != NULL && (entry->state == POD_BACKED_OFF || entry->state == POD_UNSCHEDULABLE))
        scheduler_activate(scheduler, entry);
}

// --- orders --------------------------------------------------------------------------------------

bool scheduler_goes_before(const struct scheduled_pod *a, const struct scheduled_pod *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority;
    if (a->queued_at != b->queued_at)
        return a->queued_at < b->queued_at;
    return a->serial < b->serial;
}

bool scheduler_backs_off_before(const struct scheduled_pod *a, const struct scheduled_pod *b)
{
    int64_t window_a = a->backoff_until / BACKOFF_WINDOW_NS;
    int64_t window_b = b->backoff_until / BACKOFF_WINDOW_NS;
    return window_a != window_b ? window_a < window_b : scheduler_goes_before(a, b);
}

// --- heaps ---------------------------------------------------------------------------------------

static void place(struct pod_heap *heap, uint32_t position, struct scheduled_pod *entry)
{
    heap->items.items[position] = entry;
    entry->position = position;
}

static void sift_up(struct pod_heap *heap, uint32_t position)
{
    struct scheduled_pod *entry = heap->items.items[position];
    while (position > 0) {
        struct scheduled_pod *parent = heap->items.items[(position - 1) / 2];
        if (!heap->before(entry, parent))
            break;
        place(heap, position, parent);
        position = (position - 1) / 2;
    }
    place(heap, position, entry);
}

static void sift_down(struct pod_heap *heap, uint32_t position)
{
    struct scheduled_pod *entry = heap->items.items[position];
    for (;;) {
        uint32_t child = 2 * position + 1;
        if (child >= heap->items.count)
            break;
        if (child + 1 < heap->items.count &&
            heap->before(heap->items.items[child + 1], heap->items.items[child]))
            child++;
        if (!heap->before(heap->items.items[child], entry))
            break;
        place(heap, position, heap->items.items[child]);
        position = child;
    }
    place(heap, position, entry);
}

static void heap_add(struct pod_heap *heap, struct scheduled_pod *entry)
{
    assert(entry->position == UINT32_MAX);
    vector_push(&heap->items, entry);
    entry->position = heap->items.count - 1;
    sift_up(heap, entry->position);
}

static void heap_remove(struct pod_heap *heap, uint32_t position)
{
    assert(position < heap->items.count);
    struct scheduled_pod *entry = heap->items.items[position];
    struct scheduled_pod *last = heap->items.items[--heap->items.count];
    entry->position = UINT32_MAX;
    if (last == entry)
        return;
    place(heap, position, last);
    sift_up(heap, position);
    sift_down(heap, last->position);
}

static struct scheduled_pod *heap_pop(struct pod_heap *heap)
{
    if (heap->items.count == 0)
        return NULL;
    struct scheduled_pod *entry = heap->items.items[0];
    heap_remove(heap, 0);
    return entry;
}

static void leave_heap(struct scheduler *scheduler, struct scheduled_pod *entry)
{
    if (entry->position != UINT32_MAX)
        heap_remove(entry->state == POD_ACTIVE ? &scheduler->active : &scheduler->backed_off,
                    entry->position);
}
