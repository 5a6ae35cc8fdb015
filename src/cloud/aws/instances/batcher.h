// Joins requests of one moment into calls for many (AWI-360).
//
// A request goes into the bucket of its key. The first one opens a window; it closes when no
// further request has come for the idle time, at its maximum, or at the limit of requests. Each
// bucket is then run as one batch, at most so many at a time; the others wait in order.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/loop.h"
#include "base/metrics.h"

#define BATCHER_PARALLEL_MAX 100

struct batcher;
struct batch { // one bucket; its owner gives it back with batch_finish()
    const char *key;
    void **items; // in the order of arrival
    uint32_t count;
    struct batcher *batcher;
    struct batch *next; // the batcher's
};
struct batcher_options {
    struct loop *loop;
    const char *name; // of the metrics: "create_fleet"
    int64_t idle_ns, max_ns;
    uint32_t items_max;
    struct metrics *metrics; // NULL: none
    // Runs the batch; never called from within batcher_add().
    void (*run)(void *context, struct batch *batch);
    void (*drop)(void *context, void *item); // at the end, for requests that never ran
    void *context;
};
struct batcher *batcher_create(const struct batcher_options *options);
// Batches that run must have been finished or abandoned.
void batcher_destroy(struct batcher *batcher);
void batcher_add(struct batcher *batcher, const char *key, void *item);
void batch_finish(struct batch *batch); // frees it, and lets the next one run
// At the end of its owner: frees it, and no further batch runs.
void batch_abandon(struct batch *batch);
