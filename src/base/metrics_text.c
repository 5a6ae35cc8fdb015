#include "base/metrics_text.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/metrics.h"
#include "base/metrics_internal.h"

static const double summary_quantiles[] = {0, 0.5, 0.9, 0.99, 1};

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

struct extra_label {  // of a bucket or quantile
    const char *name; // NULL: none
    double value;
};
static const struct extra_label no_extra;

static void write_values(struct text *out, const struct metric *metric, const char *const *values,
                         const char *suffix, struct extra_label extra, double value)
{
    text_add(out, metric->name);
    text_add(out, suffix);
    if (metric->labels_count > 0 || extra.name != NULL) {
        text_add_char(out, '{');
        for (size_t i = 0; i < metric->labels_count; i++) {
            text_format(out, "%s%s=\"", i > 0 ? "," : "", metric->labels[i]);
            write_escaped(out, values[i] != NULL ? values[i] : "", true);
            text_add_char(out, '"');
        }
        if (extra.name != NULL) {
            text_format(out, "%s%s=\"", metric->labels_count > 0 ? "," : "", extra.name);
            write_number(out, extra.value);
            text_add_char(out, '"');
        }
        text_add_char(out, '}');
    }
    text_add_char(out, ' ');
    write_number(out, value);
    text_add_char(out, '\n');
}

static void write_line(struct text *out, const struct metric *metric, const struct series *series,
                       const char *suffix, struct extra_label extra, double value)
{
    write_values(out, metric, (const char *const *)series->values, suffix, extra, value);
}

void metric_emit(const struct metric *metric, struct text *out, double value,
                 const char *const *values, size_t count)
{
    assert(metric->collect != NULL);
    assert(count == metric->labels_count);
    write_values(out, metric, values, "", no_extra, value);
}

static void write_histogram(struct text *out, const struct metric *metric,
                            const struct series *series)
{
    uint64_t cumulative = 0;
    for (uint32_t i = 0; i <= metric->bounds_count; i++) {
        cumulative += series->buckets[i];
        double bound = i < metric->bounds_count ? metric->bounds[i] : INFINITY;
        write_line(out, metric, series, "_bucket", (struct extra_label){"le", bound},
                   (double)cumulative);
    }
    assert(cumulative == series->count);
    write_line(out, metric, series, "_sum", no_extra, series->value);
    write_line(out, metric, series, "_count", no_extra, (double)series->count);
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
            assert(rank <= values.count);
            value = values.items[rank > 0 ? rank - 1 : 0];
        }
        write_line(out, metric, series, "", (struct extra_label){"quantile", quantile}, value);
    }
    write_line(out, metric, series, "_sum", no_extra, series->value);
    write_line(out, metric, series, "_count", no_extra, (double)series->count);
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
    assert(metric->type < ARRAY_LENGTH(type_names));
    text_format(out, "%s{", type_names[metric->type]);
    for (size_t i = 0; i < metric->labels_count; i++)
        text_format(out, "%s%s", i > 0 ? "," : "", metric->labels[i]);
    text_add_char(out, '}');
}

void metrics_write_families(const struct metrics *metrics, struct text *out)
{
    struct map_entry **entries CLEANUP_FREE = sorted_entries(metrics->families);
    for (struct map_entry **entry = entries; *entry != NULL; entry++) {
        const struct metric *metric = map_value(*entry);
        text_format(out, "%s\t", metric->name);
        metric_signature(metric, out);
        text_format(out, "\t%s\t%s\n", metric->detailed ? "full" : "", metric->help);
    }
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
    out->length = before; // a family without series is left out
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
            write_line(out, metric, series, "", no_extra, series->value);
    }
}

static bool is_hidden(const struct metrics *metrics, const char *family)
{
    assert(family != NULL);
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

static bool is_served(const struct metrics *metrics, const struct metric *metric)
{
    return (!metric->detailed || metrics->serves_detailed) && !is_hidden(metrics, metric->name);
}

static void write_alias(const struct metrics *metrics, const struct alias *alias, struct text *out)
{
    const struct metric *metric = metrics_find(metrics, alias->name);
    if (metric == NULL || is_hidden(metrics, alias->older) ||
        (metric->detailed && !metrics->serves_detailed))
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

static void refresh(const struct metrics *metrics)
{
    vector_for_each (refresher, &metrics->refreshers)
        refresher->refresh(refresher->context);
}

void metrics_write_family(const struct metrics *metrics, const char *name, struct text *out)
{
    assert(out != NULL);
    refresh(metrics);
    const struct metric *metric = metrics_find(metrics, name);
    if (metric != NULL)
        write_family(out, metric);
    vector_for_each (alias, &metrics->aliases)
        if (strcmp(alias->older, name) == 0)
            write_alias(metrics, alias, out);
}

void metrics_write(const struct metrics *metrics, struct text *out)
{
    assert(out != NULL);
    refresh(metrics);
    struct map_entry **entries CLEANUP_FREE = sorted_entries(metrics->families);
    for (struct map_entry **entry = entries; *entry != NULL; entry++)
        if (is_served(metrics, map_value(*entry)))
            write_family(out, map_value(*entry));
    vector_for_each (alias, &metrics->aliases)
        write_alias(metrics, alias, out);
}
