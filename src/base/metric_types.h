// The types of metric families and the callback that computes their series.
#pragma once

enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM, METRIC_SUMMARY };
#define METRIC_LABELS_MAX 48 // AWS has some forty well-known labels

struct metrics; // the registry
struct metric;  // one family
struct text;
typedef void (*metrics_refresher)(void *context);
typedef void (*metric_collector)(void *context, const struct metric *metric, struct text *out);
