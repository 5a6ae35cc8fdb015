#include "control/provisioning/batcher.h"

#include "base/nanoseconds.h"

#define SETTLE_SHARE 10 // of the idle time, after a finished wave
#define JOIN_TIMES   4  // the idle time: how long an early look waits for workloads that join

void batcher_init(struct batcher *batcher)
{
    *batcher = (struct batcher){.seen = map_create()};
}

void batcher_free(struct batcher *batcher)
{
    map_destroy(batcher->seen, NULL);
    batcher->seen = NULL;
}

bool batcher_trigger(struct batcher *batcher, const char *uid, int64_t now_ns)
{
    if (map_get(batcher->seen, uid) != NULL)
        return false;
    map_set(batcher->seen, uid, batcher);
    if (!batcher->open)
        batcher->opened_ns = now_ns;
    if (batcher->wave_ns == 0)
        batcher->wave_ns = now_ns;
    batcher->open = true;
    batcher->last_ns = now_ns;
    return true;
}

static int64_t finished_due(const struct batcher *batcher, const struct batcher_window *window)
{
    int64_t shortest_ns = window->idle_ns / SETTLE_SHARE;
    if (window->settled_ns == 0)
        return ns_add(batcher->last_ns, shortest_ns);
    int64_t due_ns = ns_add(batcher->opened_ns, shortest_ns);
    return window->settled_ns > due_ns ? window->settled_ns : due_ns;
}

// The first evaluation follows the idle time, later ones at doubled times, but none while workloads
// join the wave one after the other.
static int64_t early_due(const struct batcher *batcher, const struct batcher_window *window)
{
    bool is_first = batcher->wave_ns == batcher->opened_ns;
    int64_t due_ns = ns_add(batcher->opened_ns, is_first ? window->idle_ns : window->idle_ns / 2);
    int64_t latest_ns = ns_add(batcher->opened_ns, ns_multiply(JOIN_TIMES, window->idle_ns));
    return ns_maximum(due_ns, ns_minimum(window->settled_ns, latest_ns));
}

int64_t batcher_due(const struct batcher *batcher, const struct batcher_window *window)
{
    if (!batcher->open)
        return INT64_MAX;
    int64_t idle = ns_add(batcher->last_ns, window->idle_ns);
    if (window->finished) // more pods of workloads of known size are expected
        idle = finished_due(batcher, window);
    int64_t longest = ns_add(batcher->opened_ns, window->max_ns);
    if (window->early)
        longest = early_due(batcher, window);
    return idle < longest ? idle : longest;
}

bool batcher_close(struct batcher *batcher, const struct batcher_window *window, int64_t now_ns)
{
    bool busy = ns_subtract(now_ns, batcher->last_ns) < window->idle_ns / 2;
    bool early = window->early && busy && !window->finished &&
                 ns_subtract(now_ns, batcher->wave_ns) < window->max_ns;
    int64_t wave_ns = early ? batcher->wave_ns : 0;
    map_destroy(batcher->seen, NULL);
    batcher_init(batcher);
    batcher->wave_ns = wave_ns;
    return early;
}
