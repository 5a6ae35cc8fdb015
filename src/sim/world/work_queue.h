// A level-triggered work queue: each key at most once, each at its time.
//
// A key added again before its turn keeps the earlier time. The work function sees the state of the
// world at its turn, not at the time of adding; it may add keys, its own included.
#pragma once

#include "base/loop.h"

struct work_queue;
typedef void (*work_function)(void *context, const char *key);

// delay_ns: the delay of work_queue_add(), so that a burst of changes costs one sync.
struct work_queue *work_queue_create(struct loop *loop, int64_t delay_ns, work_function work,
                                     void *context);
void work_queue_destroy(struct work_queue *queue); // NULL is fine
void work_queue_add(struct work_queue *queue, const char *key);
void work_queue_add_after(struct work_queue *queue, const char *key, int64_t delay_ns);
void work_queue_forget(struct work_queue *queue, const char *key);
