#include "base/metrics.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/vector.h"

#define SEPARATOR         '\x1f'
#define SUMMARY_WINDOWS   5
#define SUMMARY_WINDOW_NS (2 * MINUTE)
#define SUMMARY_SAMPLES   1024 // a window; beyond it every other sample is dropped
static const double summary_quantiles[] = {0, 0.5, 0.9, 0.99, 1};

const double metric_duration_buckets[] = {
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7,
    0.8,   0.9,  1,     1.25, 1.5, 1.75, 2,   2.5,  3,   3.5,  4,   4.5,  5,   6,   7,
    8,     9,    10,    15,   20,  25,   30,  40,   50,  60,   120, 150,  300, 450, 600};
const uint32_t metric_duration_buckets_count = ARRAY_LENGTH(metric_duration_buckets);
const double metric_plain_buckets[] = {0.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10};
const uint32_t metric_plain_buckets_count = ARRAY_LENGTH(metric_plain_buckets);

struct samples { // of one part of the summary's sliding window
    int64_t started_ns;
    uint32_t stride, skipped; // keeps one of `stride`
    VECTOR(double) values;
};

struct series {
    char **values;     // label values
    double value;      // counter, gauge; histogram, summary: the sum
    uint64_t count;    // histogram, summary
    uint64_t *buckets; // histogram: not cumulative
    struct samples *windows;
};

struct metric {
    struct metrics *metrics;
    char *name, *help;
    enum metric_type type;
    char *labels[METRIC_LABELS_MAX];
    size_t labels_count;
    double *bounds;
    uint32_t bounds_count;
    struct map *series;       // joined label values -> struct series
    metric_collector collect; // NULL: the series are kept
    void *collect_context;
};

struct alias {
    const char *older, *name;
};

struct metrics {
    int64_t (*now_ns)(void *context);
    void *context;
    struct map *families;
    char *hidden; // names, comma-separated; NULL: none
    VECTOR(struct alias) aliases;
};

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
    return metrics;
}

void metrics_destroy(struct metrics *metrics)
{
    if (metrics == NULL)
        return;
    map_destroy(metrics->families, metric_destroy);
    free(metrics->hidden);
    vector_free(&metrics->aliases);
    free(metrics);
}

struct metric *metrics_register(struct metrics *metrics, const struct metric_options *options)
{
    struct metric *metric = map_get(metrics->families, options->name);
    if (metric != NULL) {
        assert(metric->type == options->type);
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
        metric->bounds = memory_copy(options->buckets, options->buckets_count * sizeof(double));
        metric->bounds_count = options->buckets_count;
    }
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
    assert(metric->type == METRIC_GAUGE || (metric->type == METRIC_COUNTER && value >= 0));
    series_make(metric, values, count)->value += value;
}

void metric_set_values(struct metric *metric, double value, const char *const *values, size_t count)
{
    assert(metric->type == METRIC_GAUGE);
    series_make(metric, values, count)->value = value;
}

// The newest window, after the oldest has made room for it if it is time.
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
    window->started_ns = now;
    window->stride = 1;
    window->skipped = 0;
    window->values.count = 0;
    return window;
}

static void summary_observe(const struct metric *metric, struct series *series, double value)
{
    struct samples *window = summary_window(metric, series);
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

void metric_remove_values(struct metric *metric, const char *const *values, size_t count)
{
    char *key CLEANUP_FREE = series_key(metric, values, count);
    struct series *series = map_remove(metric->series, key);
    if (series != NULL)
        series_destroy(metric, series);
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
    for (uint32_t i = 0; i < count; i++, start *= 2)
        out[i] = start;
}

// --- text ----------------------------------------------------------------------------------------
static void write_escaped(struct text *out, const char *value, bool quotes)
{
    for (; *value != '\0'; value++) {
        if (*value == '\\')
            text_add(out, "\\\\");
        else if (*value == '\n')
            text_add(out, "\\n");
        else if (*value == '"' && quotes)
            text_add(out, "\\\"");
        else
            text_add_char(out, *value);
    }
}

static void write_number(struct text *out, double value)
{
    if (isnan(value))
        text_add(out, "NaN");
    else if (isinf(value))
        text_add(out, value > 0 ? "+Inf" : "-Inf");
    else if (value == floor(value) && fabs(value) < 1e15)
        text_format(out, "%.0f", value);
    else
        text_format(out, "%.15g", value);
}

// `extra` is the bucket's or quantile's label, NULL for none.
static void write_values(struct text *out, const struct metric *metric, const char *const *values,
                         const char *suffix, const char *extra, double extra_value, double value)
{
    text_add(out, metric->name);
    text_add(out, suffix);
    if (metric->labels_count > 0 || extra != NULL) {
        text_add_char(out, '{');
        for (size_t i = 0; i < metric->labels_count; i++) {
            text_format(out, "%s%s=\"", i > 0 ? "," : "", metric->labels[i]);
            write_escaped(out, values[i] != NULL ? values[i] : "", true);
            text_add_char(out, '"');
        }
        if (extra != NULL) {
            text_format(out, "%s%s=\"", metric->labels_count > 0 ? "," : "", extra);
            write_number(out, extra_value);
            text_add_char(out, '"');
        }
        text_add_char(out, '}');
    }
    text_add_char(out, ' ');
    write_number(out, value);
    text_add_char(out, '\n');
}

static void write_line(struct text *out, const struct metric *metric, const struct series *series,
                       const char *suffix, const char *extra, double extra_value, double value)
{
    write_values(out, metric, (const char *const *)series->values, suffix, extra, extra_value,
                 value);
}

void metric_collect(struct metric *metric, metric_collector collect, void *context)
{
    assert(metric->type == METRIC_GAUGE);
    metric->collect = collect;
    metric->collect_context = context;
}

void metric_emit(const struct metric *metric, struct text *out, double value,
                 const char *const *values, size_t count)
{
    assert(count == metric->labels_count);
    write_values(out, metric, values, "", NULL, 0, value);
}

static void write_histogram(struct text *out, const struct metric *metric,
                            const struct series *series)
{
    uint64_t cumulative = 0;
    for (uint32_t i = 0; i <= metric->bounds_count; i++) {
        cumulative += series->buckets[i];
        double bound = i < metric->bounds_count ? metric->bounds[i] : INFINITY;
        write_line(out, metric, series, "_bucket", "le", bound, (double)cumulative);
    }
    write_line(out, metric, series, "_sum", NULL, 0, series->value);
    write_line(out, metric, series, "_count", NULL, 0, (double)series->count);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void write_summary(struct text *out, const struct metric *metric,
                          const struct series *series)
{
    int64_t now = metric->metrics->now_ns(metric->metrics->context);
    VECTOR(double) values = {0};
    for (int i = 0; i < SUMMARY_WINDOWS; i++) {
        const struct samples *window = &series->windows[i];
        if (window->stride == 0 ||
            ns_subtract(now, window->started_ns) >= SUMMARY_WINDOWS * SUMMARY_WINDOW_NS)
            continue;
        for (uint32_t j = 0; j < window->values.count; j++)
            vector_push(&values, window->values.items[j]);
    }
    if (values.count > 0)
        qsort(values.items, values.count, sizeof(double), compare_doubles);
    for (size_t i = 0; i < ARRAY_LENGTH(summary_quantiles); i++) {
        double quantile = summary_quantiles[i], value = NAN;
        if (values.count > 0) {
            uint32_t rank = (uint32_t)ceil(quantile * values.count);
            value = values.items[rank > 0 ? rank - 1 : 0];
        }
        write_line(out, metric, series, "", "quantile", quantile, value);
    }
    write_line(out, metric, series, "_sum", NULL, 0, series->value);
    write_line(out, metric, series, "_count", NULL, 0, (double)series->count);
    vector_free(&values);
}

static int compare_entries(const void *a, const void *b)
{
    return strcmp(map_key(*(struct map_entry *const *)a), map_key(*(struct map_entry *const *)b));
}

static struct map_entry **sorted_entries(const struct map *map)
{
    struct map_entry **entries = memory_allocate_array(map_count(map) + 1, sizeof *entries);
    size_t count = 0;
    for (struct map_entry *entry = map_first(map); entry != NULL; entry = map_next(entry))
        entries[count++] = entry;
    qsort(entries, count, sizeof *entries, compare_entries);
    return entries; // NULL-terminated
}

static const char *const type_names[] = {"counter", "gauge", "histogram", "summary"};

void metric_signature(const struct metric *metric, struct text *out)
{
    text_format(out, "%s{", type_names[metric->type]);
    for (size_t i = 0; i < metric->labels_count; i++)
        text_format(out, "%s%s", i > 0 ? "," : "", metric->labels[i]);
    text_add_char(out, '}');
}

static void write_head(struct text *out, const struct metric *metric)
{
    text_format(out, "# HELP %s ", metric->name);
    write_escaped(out, metric->help, false);
    text_format(out, "\n# TYPE %s %s\n", metric->name, type_names[metric->type]);
}

static void write_collected(struct text *out, const struct metric *metric)
{
    size_t before = out->length;
    write_head(out, metric);
    size_t head = out->length;
    metric->collect(metric->collect_context, metric, out);
    if (out->length > head)
        return;
    out->length = before; // without series a family says nothing
    out->data[before] = '\0';
}

static void write_family(struct text *out, const struct metric *metric)
{
    if (metric->collect != NULL) {
        write_collected(out, metric);
        return;
    }
    if (map_count(metric->series) == 0)
        return;
    write_head(out, metric);
    struct map_entry **entries CLEANUP_FREE = sorted_entries(metric->series);
    for (struct map_entry **entry = entries; *entry != NULL; entry++) {
        const struct series *series = map_value(*entry);
        if (metric->type == METRIC_HISTOGRAM)
            write_histogram(out, metric, series);
        else if (metric->type == METRIC_SUMMARY)
            write_summary(out, metric, series);
        else
            write_line(out, metric, series, "", NULL, 0, series->value);
    }
}

void metrics_hide(struct metrics *metrics, const char *names)
{
    free(metrics->hidden);
    metrics->hidden = memory_copy_string(names);
}

static bool is_hidden(const struct metrics *metrics, const char *family)
{
    const char *at = metrics->hidden != NULL ? metrics->hidden : "";
    for (;;) {
        at += strspn(at, ", ");
        size_t length = strcspn(at, ", ");
        if (length == 0)
            return false;
        bool open = at[length - 1] == '*';
        if (strncmp(at, family, length - open) == 0 && (open || family[length] == '\0'))
            return true;
        at += length;
    }
}

void metrics_alias(struct metrics *metrics, const char *older, const char *name)
{
    vector_push(&metrics->aliases, (struct alias){older, name});
}

static void write_alias(const struct metrics *metrics, const struct alias *alias, struct text *out)
{
    const struct metric *metric = metrics_find(metrics, alias->name);
    if (metric == NULL || is_hidden(metrics, alias->older))
        return;
    struct text help = {0}, name = {0};
    text_format(&help, "Deprecated, see %s. %s", alias->name, metric->help);
    text_add(&name, alias->older);
    struct metric copy = *metric;
    copy.name = name.data;
    copy.help = help.data;
    write_family(out, &copy);
    text_free(&help);
    text_free(&name);
}

void metrics_write(const struct metrics *metrics, struct text *out)
{
    struct map_entry **entries CLEANUP_FREE = sorted_entries(metrics->families);
    for (struct map_entry **entry = entries; *entry != NULL; entry++)
        if (!is_hidden(metrics, map_key(*entry)))
            write_family(out, map_value(*entry));
    for (uint32_t i = 0; i < metrics->aliases.count; i++)
        write_alias(metrics, &metrics->aliases.items[i], out);
}
