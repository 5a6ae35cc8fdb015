#include "control/command/pod_lines.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/nanoseconds.h"
#include "base/vector.h"

#define SUCCESSOR_NS (2 * MINUTE)

struct line { // INT64_MIN: not evicted
    int64_t last, last_but_one;
    uint32_t epoch; // of another epoch: it does not count
};

struct workload {
    VECTOR(struct line) evicted; // without a successor yet
    int64_t last;                // the last eviction
};

struct pod_lines {
    struct map *lines;     // struct line by pod, of those with predecessors
    struct map *workloads; // struct workload, of workloads that wait for successors
    uint32_t epoch;
};

struct pod_lines *pod_lines_create(void)
{
    struct pod_lines *lines = memory_allocate(sizeof *lines);
    lines->lines = map_create();
    lines->workloads = map_create();
    return lines;
}

static void workload_destroy(void *value)
{
    struct workload *workload = value;
    vector_free(&workload->evicted);
    free(workload);
}

void pod_lines_destroy(struct pod_lines *lines)
{
    map_destroy(lines->lines, free);
    map_destroy(lines->workloads, workload_destroy);
    free(lines);
}

static const struct line *line_of(const struct pod_lines *lines, const char *pod)
{
    static const struct line none = {INT64_MIN, INT64_MIN, 0};
    const struct line *line = map_get(lines->lines, pod);
    return line != NULL && line->epoch == lines->epoch ? line : &none;
}

void pod_lines_evict(struct pod_lines *lines, const char *workload, const char *pod, int64_t now,
                     bool counts)
{
    struct line line = *line_of(lines, pod);
    line.epoch = lines->epoch;
    if (counts) {
        line.last_but_one = line.last;
        line.last = now;
    }
    struct workload *own = map_ensure(lines->workloads, workload, sizeof *own);
    own->last = now;
    vector_push(&own->evicted, line);
}

bool pod_lines_arrive(struct pod_lines *lines, const char *workload, const char *pod, int64_t now)
{
    struct workload *own = map_get(lines->workloads, workload);
    if (own == NULL)
        return false;
    bool is_late = ns_subtract(now, own->last) > SUCCESSOR_NS;
    const struct line line = own->evicted.items[own->evicted.count - 1];
    if (is_late || --own->evicted.count == 0)
        workload_destroy(map_remove(lines->workloads, workload));
    if (!is_late && line.last != INT64_MIN) {
        struct line *known = map_ensure(lines->lines, pod, sizeof *known);
        *known = line;
    }
    return !is_late;
}

void pod_lines_forget(struct pod_lines *lines, const char *pod)
{
    free(map_remove(lines->lines, pod));
}

void pod_lines_reset(struct pod_lines *lines)
{
    lines->epoch++;
}

bool pod_lines_any(const struct pod_lines *lines)
{
    return map_count(lines->lines) > 0;
}

bool pod_lines_evicted_twice(const struct pod_lines *lines, const char *pod, int64_t since)
{
    return line_of(lines, pod)->last_but_one >= since;
}
