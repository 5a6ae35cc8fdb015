#include "base/metrics.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/metrics_internal.h"
#include "base/nanoseconds.h"
#include "base/vector.h"

#define SEPARATOR '\x1f'

const double metric_duration_buckets[] = {
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7,
    0.8,   0.9,  1,     1.25, 1.5, 1.75, 2,   2.5,  3,   3.5,  4,   4.5,  5,   6,   7,
    8,     9,    10,    15,   20,  25,   30,  40,   50,  60,   120, 150,  300, 450, 600};
const uint32_t metric_duration_buckets_count = ARRAY_LENGTH(metric_duration_buckets);
const double metric_plain_buckets[] = {0.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10};
const uint32_t metric_plain_buckets_count = ARRAY_LENGTH(metric_plain_buckets);

static void series_destroy(const struct metric *metric, struct series *series)
{
    for (size_t i = 0; i < metric->labels_count; i++)
        free(series->values[i]);
    free(series->values);
    free(series->buckets);
    for (int i = 0; series->windows != NULL && i < SUMMARY_WINDOWS; i++)
        vector_free(&series->windows[i].values);
    free(series->windows);
    free(series);
}

static void metric_destroy(void *value)
{
    struct metric *metric = value;
    metric_remove_all(metric);
    map_destroy(metric->series, NULL);
    for (size_t i = 0; i < metric->labels_count; i++)
        free(metric->labels[i]);
    free(metric->bounds);
    free(metric->name);
    free(metric->help);
    free(metric);
}

struct metrics *metrics_create(int64_t (*now_ns)(void *context), void *context)
{
    assert(now_ns != NULL);
    struct metrics *metrics = memory_allocate(sizeof *metrics);
    metrics->now_ns = now_ns;
    metrics->context = context;
    metrics->families = map_create();
    metrics->serves_detailed = true;
    return metrics;
}

void metrics_destroy(struct metrics *metrics)
{
    if (metrics == NULL)
        return;
    map_destroy(metrics->families, metric_destroy);
    free(metrics->hidden);
    vector_free(&metrics->aliases);
    vector_free(&metrics->refreshers);
    free(metrics);
}

struct metric *metrics_register(struct metrics *metrics, const struct metric_options *options)
{
    assert(options->name != NULL);
    assert(options->type <= METRIC_SUMMARY);
    struct metric *metric = map_get(metrics->families, options->name);
    if (metric != NULL) {
        assert(metric->type == options->type);
        for (size_t i = 0; i < metric->labels_count; i++)
            assert(text_equal(metric->labels[i], options->labels[i]));
        assert(options->labels[metric->labels_count] == NULL);
        return metric;
    }
    metric = memory_allocate(sizeof *metric);
    metric->metrics = metrics;
    metric->name = memory_copy_string(options->name);
    metric->help = memory_copy_string(options->help != NULL ? options->help : "");
    metric->type = options->type;
    while (options->labels[metric->labels_count] != NULL) {
        assert(metric->labels_count < METRIC_LABELS_MAX);
        metric->labels[metric->labels_count] =
            memory_copy_string(options->labels[metric->labels_count]);
        metric->labels_count++;
    }
    if (options->type == METRIC_HISTOGRAM) {
        assert(options->buckets_count > 0);
        for (uint32_t i = 1; i < options->buckets_count; i++)
            assert(options->buckets[i - 1] < options->buckets[i]);
        metric->bounds = memory_copy(options->buckets, options->buckets_count * sizeof(double));
        metric->bounds_count = options->buckets_count;
    }
    metric->detailed = options->detailed;
    metric->series = map_create();
    map_set(metrics->families, metric->name, metric);
    return metric;
}

struct metric *metrics_find(const struct metrics *metrics, const char *name)
{
    return map_get(metrics->families, name);
}

static char *series_key(const struct metric *metric, const char *const *values, size_t count)
{
    assert(count == metric->labels_count);
    struct text key = {0};
    for (size_t i = 0; i < count; i++) {
        text_add(&key, values[i] != NULL ? values[i] : "");
        text_add_char(&key, SEPARATOR);
    }
    return text_take(&key);
}

static struct series *series_find(const struct metric *metric, const char *const *values,
                                  size_t count)
{
    char *key CLEANUP_FREE = series_key(metric, values, count);
    return map_get(metric->series, key);
}

static struct series *series_make(struct metric *metric, const char *const *values, size_t count)
{
    char *key CLEANUP_FREE = series_key(metric, values, count);
    struct series *series = map_get(metric->series, key);
    if (series != NULL)
        return series;
    series = memory_allocate(sizeof *series);
    series->values = memory_allocate_array(count + 1, sizeof *series->values);
    for (size_t i = 0; i < count; i++)
        series->values[i] = memory_copy_string(values[i] != NULL ? values[i] : "");
    if (metric->type == METRIC_HISTOGRAM)
        series->buckets = memory_allocate_array(metric->bounds_count + 1, sizeof(uint64_t));
    if (metric->type == METRIC_SUMMARY)
        series->windows = memory_allocate_array(SUMMARY_WINDOWS, sizeof *series->windows);
    map_set(metric->series, key, series);
    return series;
}

void metric_add_values(struct metric *metric, double value, const char *const *values, size_t count)
{
    assert(!isnan(value));
    assert(metric->type == METRIC_GAUGE || (metric->type == METRIC_COUNTER && value >= 0));
    series_make(metric, values, count)->value += value;
}

void metric_set_values(struct metric *metric, double value, const char *const *values, size_t count)
{
    assert(metric->collect == NULL);
    assert(metric->type == METRIC_GAUGE);
    series_make(metric, values, count)->value = value;
}

// The current window. Replaces the oldest one when its time is over.
static struct samples *summary_window(const struct metric *metric, struct series *series)
{
    int64_t now = metric->metrics->now_ns(metric->metrics->context);
    struct samples *newest = &series->windows[0], *oldest = &series->windows[0];
    for (int i = 1; i < SUMMARY_WINDOWS; i++) {
        struct samples *window = &series->windows[i];
        if (window->stride > 0 && window->started_ns > newest->started_ns)
            newest = window;
        if (window->stride == 0 || window->started_ns < oldest->started_ns)
            oldest = window;
    }
    if (newest->stride > 0 && ns_subtract(now, newest->started_ns) < SUMMARY_WINDOW_NS)
        return newest;
    struct samples *window = newest->stride == 0 ? newest : oldest;
    assert(window->started_ns <= now);
    window->started_ns = now;
    window->stride = 1;
    window->skipped = 0;
    window->values.count = 0;
    return window;
}

static void summary_observe(const struct metric *metric, struct series *series, double value)
{
    struct samples *window = summary_window(metric, series);
    assert(window->stride > 0);
    assert(window->values.count < SUMMARY_SAMPLES);
    if (++window->skipped < window->stride)
        return;
    window->skipped = 0;
    vector_push(&window->values, value);
    if (window->values.count < SUMMARY_SAMPLES)
        return;
    for (uint32_t i = 0; i < SUMMARY_SAMPLES / 2; i++)
        window->values.items[i] = window->values.items[2 * i];
    window->values.count = SUMMARY_SAMPLES / 2;
    window->stride *= 2;
}

void metric_observe_values(struct metric *metric, double value, const char *const *values,
                           size_t count)
{
    assert(!isnan(value));
    assert(metric->type == METRIC_HISTOGRAM || metric->type == METRIC_SUMMARY);
    struct series *series = series_make(metric, values, count);
    series->value += value;
    series->count++;
    if (metric->type == METRIC_SUMMARY) {
        summary_observe(metric, series, value);
        return;
    }
    uint32_t bucket = 0;
    while (bucket < metric->bounds_count && value > metric->bounds[bucket])
        bucket++;
    series->buckets[bucket]++;
}

double metric_read_values(const struct metric *metric, const char *const *values, size_t count)
{
    const struct series *series = series_find(metric, values, count);
    if (series == NULL)
        return 0;
    bool observed = metric->type == METRIC_HISTOGRAM || metric->type == METRIC_SUMMARY;
    return observed ? (double)series->count : series->value;
}

void metric_remove_matching(struct metric *metric, const char *label, const char *value)
{
    size_t index = 0;
    while (index < metric->labels_count && strcmp(metric->labels[index], label) != 0)
        index++;
    assert(index < metric->labels_count);
    for (struct map_entry *entry = map_first(metric->series), *next; entry != NULL; entry = next) {
        next = map_next(entry);
        struct series *series = map_value(entry);
        if (strcmp(series->values[index], value) != 0)
            continue;
        map_remove(metric->series, map_key(entry));
        series_destroy(metric, series);
    }
}

void metric_remove_all(struct metric *metric)
{
    for (struct map_entry *entry = map_first(metric->series), *next; entry != NULL; entry = next) {
        next = map_next(entry);
        struct series *series = map_value(entry);
        map_remove(metric->series, map_key(entry));
        series_destroy(metric, series);
    }
}

uint32_t metric_series_count(const struct metric *metric)
{
    return (uint32_t)map_count(metric->series);
}

void metric_exponential_buckets(double start, uint32_t count, double *out)
{
    assert(start > 0);
    assert(out != NULL);
    for (uint32_t i = 0; i < count; i++, start *= 2)
        out[i] = start;
}

void metric_collect(struct metric *metric, metric_collector collect, void *context)
{
    assert(metric->type == METRIC_GAUGE || metric->type == METRIC_COUNTER);
    metric->collect = collect;
    metric->collect_context = context;
}

void metrics_before_write(struct metrics *metrics, metrics_refresher refresh, void *context)
{
    uint32_t kept = 0;
    assert(context != NULL);
    vector_for_each (refresher, &metrics->refreshers)
        if (refresher->context != context)
            metrics->refreshers.items[kept++] = *refresher;
    metrics->refreshers.count = kept;
    if (refresh != NULL)
        vector_push(&metrics->refreshers, (struct refresher){refresh, context});
}

void metrics_hide(struct metrics *metrics, const char *names)
{
    free(metrics->hidden);
    metrics->hidden = memory_copy_string(names);
}

void metrics_serve_detailed(struct metrics *metrics, bool serve)
{
    metrics->serves_detailed = serve;
}

void metrics_alias(struct metrics *metrics, const char *older, const char *name)
{
    assert(strcmp(older, name) != 0);
    vector_push(&metrics->aliases, (struct alias){older, name});
}
