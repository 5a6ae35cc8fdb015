// Metrics in Prometheus' text format: counters, gauges, histograms, summaries, with labels.
//
// A family is registered once with its label names; a series comes into being with its first value
// and goes when it is removed. The text is in a fixed order: families by name, series by their
// label values. One thread only (the loop's).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/metric_types.h"
#include "base/text.h"

// `now_ns` is the clock of the summaries' window (a loop's monotonic clock).
struct metrics *metrics_create(int64_t (*now_ns)(void *context), void *context);
void metrics_destroy(struct metrics *metrics); // NULL is fine

struct metric_options {
    const char *name, *help;
    enum metric_type type;
    const char *labels[METRIC_LABELS_MAX + 1]; // NULL-terminated
    const double *buckets;                     // histograms: ascending upper bounds
    uint32_t buckets_count;
    bool detailed; // a series for each object, offering or decision: metrics_serve_detailed()
};
// Registering a name again gives the family that is there; type and labels must be the same.
// The texts and buckets are copied.
struct metric *metrics_register(struct metrics *metrics, const struct metric_options *options);
struct metric *metrics_find(const struct metrics *metrics, const char *name); // or NULL

// Label values follow in the order of the label names; NULL counts as "". A counter never falls:
// negative steps are refused by assertion.
#define METRIC_VALUES(...)                          \
    (const char *const[]){NULL, ##__VA_ARGS__} + 1, \
        sizeof((const char *const[]){NULL, ##__VA_ARGS__}) / sizeof(const char *) - 1
#define metric_add(metric, value, ...) \
    metric_add_values((metric), (value), METRIC_VALUES(__VA_ARGS__))
#define metric_set(metric, value, ...) \
    metric_set_values((metric), (value), METRIC_VALUES(__VA_ARGS__))
#define metric_observe(metric, value, ...) \
    metric_observe_values((metric), (value), METRIC_VALUES(__VA_ARGS__))
#define metric_read(metric, ...) metric_read_values((metric), METRIC_VALUES(__VA_ARGS__))

void metric_add_values(struct metric *metric, double value, const char *const *values,
                       size_t count);
void metric_set_values(struct metric *metric, double value, const char *const *values,
                       size_t count);
void metric_observe_values(struct metric *metric, double value, const char *const *values,
                           size_t count);
// Counters and gauges: the value; histograms and summaries: the number of observations. 0 if there
// is no such series.
double metric_read_values(const struct metric *metric, const char *const *values, size_t count);

// Removes every series whose label `label` has this value.
void metric_remove_matching(struct metric *metric, const char *label, const char *value);
void metric_remove_all(struct metric *metric);
uint32_t metric_series_count(const struct metric *metric);

// A family whose series are computed when the registry is written instead of kept: `collect` calls
// metric_emit() (metrics_text.h) for each, in any order. For large sets whose values live
// elsewhere. Gauges and counters; values that were set are not written.
void metric_collect(struct metric *metric, metric_collector collect, void *context);

// Called before the registry is written, to set gauges whose values are sums over something that
// lives elsewhere. `refresh` NULL: no longer, for this context.
void metrics_before_write(struct metrics *metrics, metrics_refresher refresh, void *context);

// LIF-350: the bucket series E(start, count) = start * 2^i.
void metric_exponential_buckets(double start, uint32_t count, double *out);
extern const double metric_duration_buckets[]; // LIF-350, set D
extern const uint32_t metric_duration_buckets_count;
extern const double metric_plain_buckets[]; // LIF-350, set P
extern const uint32_t metric_plain_buckets_count;

// Families to leave out of the text: names, comma-separated; a trailing `*` matches any suffix.
// NULL or "": none. Copied; the last call wins.
void metrics_hide(struct metrics *metrics, const char *names);

// Whether families that were registered as detailed are in the text (they are, unless told
// otherwise).
void metrics_serve_detailed(struct metrics *metrics, bool serve);

// Serves the registered family `name` under an older name as well; the help says so. Static texts.
void metrics_alias(struct metrics *metrics, const char *older, const char *name);
