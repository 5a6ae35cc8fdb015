// Metrics of the process itself, under the names that every Prometheus client gives them, the
// version that it was built from (LIF-350), and whether it leads (LIF-358).
#pragma once

#include "base/metrics.h"

struct process_metrics;
// The process's start is now.
struct process_metrics *process_metrics_create(struct metrics *metrics);
// Whether it holds the lease of this name; renewals of it that had to read it again, `count` more.
void process_metrics_lead(struct process_metrics *process, const char *lease, bool leads);
void process_metrics_slow_path(struct process_metrics *process, const char *lease, unsigned count);
void process_metrics_destroy(struct process_metrics *process); // before the registry
