#include "sim/world/work_queue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/vector.h"

struct work_item {
    int64_t due_ns; // monotonic
    uint64_t sequence;
    uint32_t position; // in the heap
    char key[];
};

struct work_queue {
    struct loop *loop;
    struct timer *timer;
    int64_t delay_ns;
    work_function work;
    void *context;
    struct map *items;               // by key
    VECTOR(struct work_item *) heap; // by (due, sequence)
    uint64_t next_sequence;
    bool running;
};

static void run_due(void *context);
static void take_out(struct work_queue *queue, struct work_item *item);
static void sift_up(struct work_queue *queue, uint32_t position);
static void sift_down(struct work_queue *queue, uint32_t position);
static void start_timer(struct work_queue *queue);

struct work_queue *work_queue_create(struct loop *loop, int64_t delay_ns, work_function work,
                                     void *context)
{
    struct work_queue *queue = memory_allocate(sizeof *queue);
    *queue =
        (struct work_queue){.loop = loop, .delay_ns = delay_ns, .work = work, .context = context};
    queue->items = map_create();
    queue->timer = timer_create_on(loop, run_due, queue);
    return queue;
}

void work_queue_destroy(struct work_queue *queue)
{
    if (queue == NULL)
        return;
    assert(!queue->running);
    timer_destroy(queue->timer);
    map_destroy(queue->items, free);
    vector_free(&queue->heap);
    free(queue);
}

void work_queue_add(struct work_queue *queue, const char *key)
{
    work_queue_add_after(queue, key, queue->delay_ns);
}

void work_queue_add_after(struct work_queue *queue, const char *key, int64_t delay_ns)
{
    int64_t due_ns = ns_add(loop_monotonic_ns(queue->loop), delay_ns > 0 ? delay_ns : 0);
    struct work_item *item = map_get(queue->items, key);
    if (item != NULL) {
        if (due_ns >= item->due_ns)
            return;
        item->due_ns = due_ns;
        sift_up(queue, item->position);
    } else {
        size_t length = strlen(key);
        item = memory_allocate(sizeof *item + length + 1);
        item->due_ns = due_ns;
        item->sequence = queue->next_sequence++;
        item->position = queue->heap.count;
        memcpy(item->key, key, length + 1);
        map_set(queue->items, key, item);
        vector_push(&queue->heap, item);
        sift_up(queue, item->position);
    }
    if (!queue->running && item->position == 0)
        start_timer(queue);
}

void work_queue_forget(struct work_queue *queue, const char *key)
{
    struct work_item *item = map_get(queue->items, key);
    if (item == NULL)
        return;
    take_out(queue, item);
    free(item);
}

// Keys added meanwhile wait for the next turn of the loop, so that no key can keep the loop busy.
static void run_due(void *context)
{
    struct work_queue *queue = context;
    int64_t now_ns = loop_monotonic_ns(queue->loop);
    uint64_t sequence_end = queue->next_sequence;
    queue->running = true;
    while (queue->heap.count > 0) {
        struct work_item *item = queue->heap.items[0];
        if (item->due_ns > now_ns || item->sequence >= sequence_end)
            break;
        take_out(queue, item);
        queue->work(queue->context, item->key);
        free(item);
    }
    queue->running = false;
    start_timer(queue);
}

static void start_timer(struct work_queue *queue)
{
    if (queue->heap.count == 0) {
        timer_stop(queue->timer);
        return;
    }
    timer_start(queue->timer,
                ns_subtract(queue->heap.items[0]->due_ns, loop_monotonic_ns(queue->loop)));
}

static void take_out(struct work_queue *queue, struct work_item *item)
{
    map_remove(queue->items, item->key);
    uint32_t position = item->position;
    struct work_item *last = queue->heap.items[--queue->heap.count];
    if (last == item)
        return;
    queue->heap.items[position] = last;
    last->position = position;
    sift_up(queue, position);
    sift_down(queue, last->position);
}

static bool comes_before(const struct work_item *a, const struct work_item *b)
{
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->sequence < b->sequence;
}

static void exchange(struct work_queue *queue, uint32_t a, uint32_t b)
{
    struct work_item *item = queue->heap.items[a];
    queue->heap.items[a] = queue->heap.items[b];
    queue->heap.items[b] = item;
    queue->heap.items[a]->position = a;
    queue->heap.items[b]->position = b;
}

static void sift_up(struct work_queue *queue, uint32_t position)
{
    while (position > 0) {
        uint32_t parent = (position - 1) / 2;
        if (!comes_before(queue->heap.items[position], queue->heap.items[parent]))
            return;
        exchange(queue, position, parent);
        position = parent;
    }
}

static void sift_down(struct work_queue *queue, uint32_t position)
{
    for (;;) {
        uint32_t first = position;
        for (uint32_t child = 2 * position + 1; child <= 2 * position + 2; child++)
            if (child < queue->heap.count &&
                comes_before(queue->heap.items[child], queue->heap.items[first]))
                first = child;
        if (first == position)
            return;
        exchange(queue, position, first);
        position = first;
    }
}
