// Shared by metrics.c (families, series) and metrics_text.c (Prometheus' text).
#pragma once

#include "base/map.h"
#include "base/metric_types.h"
#include "base/nanoseconds.h"
#include "base/vector.h"

#define SUMMARY_WINDOWS   5
#define SUMMARY_WINDOW_NS (2 * MINUTE)
#define SUMMARY_SAMPLES   1024 // a window; beyond it every other sample is dropped

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
    bool detailed;
    struct map *series;       // joined label values -> struct series
    metric_collector collect; // NULL: the series are kept
    void *collect_context;
};

struct alias {
    const char *older, *name;
};

struct refresher {
    metrics_refresher refresh;
    void *context;
};

struct metrics {
    int64_t (*now_ns)(void *context);
    void *context;
    struct map *families;
    char *hidden; // names, comma-separated; NULL: none
    bool serves_detailed;
    VECTOR(struct alias) aliases;
    VECTOR(struct refresher) refreshers;
};
