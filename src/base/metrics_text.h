// Metrics as Prometheus' text format.
#pragma once

#include "base/metric_types.h"
#include "base/text.h"

// The whole registry except hidden families, as text/plain; version=0.0.4.
void metrics_write(const struct metrics *metrics, struct text *out);
// The family of that name, or older name, alone, whether it is hidden or not; nothing if there is
// none.
void metrics_write_family(const struct metrics *metrics, const char *name, struct text *out);
// One series of a family that is computed as it is written (metric_collect()).
void metric_emit(const struct metric *metric, struct text *out, double value,
                 const char *const *values, size_t count);
// A line for each registered family: name, signature, "full" if it is detailed and else "", help;
// tabs in between. For reference docs.
void metrics_write_families(const struct metrics *metrics, struct text *out);
// "counter{reason,nodepool}": a family's type and labels.
void metric_signature(const struct metric *metric, struct text *out);
