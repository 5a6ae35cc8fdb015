#include "control/node/drain_turns.h"

#include <string.h>

#include "engine/problem/eviction_order.h"

static bool goes_before(const struct drain_turn *a, const struct drain_turn *b)
{
    if (a->group != b->group)
        return a->group < b->group;
    int64_t a_size = eviction_size(a->cpu, a->memory), b_size = eviction_size(b->cpu, b->memory);
    if (a_size != b_size)
        return a_size > b_size;
    if (a->cpu != b->cpu)
        return a->cpu > b->cpu;
    if (a->memory != b->memory)
        return a->memory > b->memory;
    if (a->command != b->command)
        return a->command < b->command;
    if (a->number != b->number)
        return a->number < b->number;
    return strcmp(a->uid, b->uid) < 0;
}

void drain_turn_enqueue(struct drain_turn *turn)
{
    struct drain_queue *queue = turn->queue;
    vector_push(&queue->waiting, turn);
    uint32_t at = queue->waiting.count - 1;
    for (; at > 0 && goes_before(queue->waiting.items[at - 1], turn); at--)
        queue->waiting.items[at] = queue->waiting.items[at - 1];
    queue->waiting.items[at] = turn;
}

void drain_turn_dequeue(struct drain_turn *turn)
{
    struct drain_queue *queue = turn->queue;
    uint32_t at = queue->waiting.count;
    while (queue->waiting.items[--at] != turn)
        ;
    memmove(queue->waiting.items + at, queue->waiting.items + at + 1,
            (--queue->waiting.count - at) * sizeof *queue->waiting.items);
}
