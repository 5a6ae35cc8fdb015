#include "reconcile/due_heap.h"

#include <assert.h>

void due_heap_free(struct due_heap *heap)
{
    vector_free(&heap->entries);
}

// Entry of a 1-based index.
static struct due **at(const struct due_heap *heap, uint32_t index)
{
    assert(index > 0);
    assert(index <= heap->entries.count);
    return &heap->entries.items[index - 1];
}

static bool is_before(const struct due *a, const struct due *b)
{
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

static void place(const struct due_heap *heap, uint32_t index, struct due *due)
{
    *at(heap, index) = due;
    due->index = index;
}

static void move(const struct due_heap *heap, uint32_t index, struct due *due)
{
    while (index > 1 && is_before(due, *at(heap, index / 2))) {
        place(heap, index, *at(heap, index / 2));
        index /= 2;
    }
    uint32_t count = heap->entries.count;
    for (uint32_t child = 2 * index; child <= count; child = 2 * index) {
        if (child < count && is_before(*at(heap, child + 1), *at(heap, child)))
            child++;
        if (!is_before(*at(heap, child), due))
            break;
        place(heap, index, *at(heap, child));
        index = child;
    }
    place(heap, index, due);
}

void due_heap_remove(struct due_heap *heap, struct due *due)
{
    if (due->index == 0)
        return;
    uint32_t index = due->index;
    assert(*at(heap, index) == due);
    struct due *last = heap->entries.items[--heap->entries.count];
    due->index = 0;
    if (last != due)
        move(heap, index, last);
}

void due_heap_put(struct due_heap *heap, struct due *due, int64_t at_ns)
{
    if (due->index > 0 && due->at_ns <= at_ns)
        return;
    due_heap_remove(heap, due);
    due->at_ns = at_ns;
    due->order = heap->orders++;
    vector_push(&heap->entries, due);
    move(heap, heap->entries.count, due);
}

struct due *due_heap_first(const struct due_heap *heap)
{
    return heap->entries.count > 0 ? heap->entries.items[0] : NULL;
}
