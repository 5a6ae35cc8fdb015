#include "cloud/aws/instances/batcher.h"

#include <assert.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/nanoseconds.h"
#include "base/vector.h"

struct bucket {
    char *key;
    VECTOR(void *) items;
};
struct batcher {
    struct batcher_options options;
    struct map *open; // key -> struct bucket
    uint32_t signals; // requests of the open window
    int64_t opened_at;
    struct timer *timer;
    struct batch *first, *last; // ready to run
    uint32_t running;
    bool closing;
    struct metric *time, *size;
};

static const double size_bounds[] = {1,   2,   4,   5,   10,  15,  20,  25,  30,  40,  50,  60,
                                     70,  80,  90,  100, 125, 150, 175, 200, 225, 250, 275, 300,
                                     350, 400, 450, 500, 550, 600, 700, 800, 900, 1000};

static void register_metrics(struct batcher *batcher)
{
    struct metrics *metrics = batcher->options.metrics;
    if (metrics == NULL)
        return;
    batcher->time = metrics_register(
        metrics,
        &(struct metric_options){.name = "karpenter_cloudprovider_batcher_batch_time_seconds",
                                 .help = "Duration of a batching window, by batcher.",
                                 .type = METRIC_HISTOGRAM,
                                 .labels = {"batcher"},
                                 .buckets = metric_duration_buckets,
                                 .buckets_count = metric_duration_buckets_count});
    batcher->size = metrics_register(
        metrics, &(struct metric_options){.name = "karpenter_cloudprovider_batcher_batch_size",
                                          .help = "Requests in a batch, by batcher.",
                                          .type = METRIC_HISTOGRAM,
                                          .labels = {"batcher"},
                                          .buckets = size_bounds,
                                          .buckets_count = ARRAY_LENGTH(size_bounds)});
}

// --- running -------------------------------------------------------------------------------------

static void batch_free(struct batch *batch)
{
    free((char *)batch->key);
    free(batch->items);
    free(batch);
}

static void run_ready(struct batcher *batcher)
{
    while (batcher->first != NULL && batcher->running < BATCHER_PARALLEL_MAX) {
        struct batch *batch = batcher->first;
        batcher->first = batch->next;
        if (batcher->first == NULL)
            batcher->last = NULL;
        batch->next = NULL;
        batcher->running++;
        if (batcher->size != NULL)
            metric_observe(batcher->size, batch->count, batcher->options.name);
        batcher->options.run(batcher->options.context, batch);
    }
}

void batch_finish(struct batch *batch)
{
    struct batcher *batcher = batch->batcher;
    assert(batcher->running > 0);
    batcher->running--;
    batch_free(batch);
    if (!batcher->closing)
        run_ready(batcher);
}

void batch_abandon(struct batch *batch)
{
    batch->batcher->closing = true;
    batch_finish(batch);
}

// --- the window ----------------------------------------------------------------------------------

static void add_ready(struct batcher *batcher, struct bucket *bucket)
{
    struct batch *batch = memory_allocate(sizeof *batch);
    *batch = (struct batch){bucket->key, bucket->items.items, bucket->items.count, batcher, NULL};
    if (batcher->last != NULL)
        batcher->last->next = batch;
    else
        batcher->first = batch;
    batcher->last = batch;
    free(bucket);
}

static void close_window(void *context)
{
    struct batcher *batcher = context;
    assert(batcher->signals > 0);
    if (batcher->time != NULL)
        metric_observe(
            batcher->time,
            seconds_between(batcher->opened_at, loop_monotonic_ns(batcher->options.loop)),
            batcher->options.name);
    struct map *closed = batcher->open;
    batcher->open = map_create();
    batcher->signals = 0;
    for (struct map_entry *entry = map_first(closed); entry != NULL; entry = map_next(entry))
        add_ready(batcher, map_value(entry));
    map_destroy(closed, NULL);
    run_ready(batcher);
}

void batcher_add(struct batcher *batcher, const char *key, void *item)
{
    assert(item != NULL);
    int64_t now = loop_monotonic_ns(batcher->options.loop);
    if (batcher->signals == 0)
        batcher->opened_at = now;
    struct bucket *bucket = map_ensure(batcher->open, key, sizeof *bucket);
    if (bucket->key == NULL)
        bucket->key = memory_copy_string(key);
    vector_push(&bucket->items, item);
    batcher->signals++;
    int64_t end = ns_add(batcher->opened_at, batcher->options.max_ns);
    int64_t wait = ns_minimum(batcher->options.idle_ns, ns_subtract(end, now));
    timer_start(batcher->timer, batcher->signals >= batcher->options.items_max ? 0 : wait);
}

// --- life ----------------------------------------------------------------------------------------

struct batcher *batcher_create(const struct batcher_options *options)
{
    assert(options->run != NULL);
    assert(options->drop != NULL);
    struct batcher *batcher = memory_allocate(sizeof *batcher);
    batcher->options = *options;
    batcher->open = map_create();
    batcher->timer = timer_create_on(options->loop, close_window, batcher);
    register_metrics(batcher);
    return batcher;
}

void batcher_destroy(struct batcher *batcher)
{
    assert(batcher->running == 0);
    batcher->closing = true;
    for (struct map_entry *entry = map_first(batcher->open); entry != NULL; entry = map_next(entry))
        add_ready(batcher, map_value(entry));
    map_destroy(batcher->open, NULL);
    for (struct batch *batch = batcher->first, *next; batch != NULL; batch = next) {
        next = batch->next;
        for (uint32_t i = 0; i < batch->count; i++)
            batcher->options.drop(batcher->options.context, batch->items[i]);
        batch_free(batch);
    }
    timer_destroy(batcher->timer);
    free(batcher);
}
