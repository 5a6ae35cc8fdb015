// Metric families shared by all queues of a registry (LIF-358).
#pragma once

#include "base/metrics.h"

struct queue_metrics {
    struct metric *reconcile_total, *reconcile_errors, *reconcile_seconds, *max_concurrent, *active;
    struct metric *depth, *adds, *retries, *queue_seconds, *work_seconds;
    struct metric *unfinished_seconds, *longest_seconds; // collected by the owner of all queues
    struct metric *never[3];                             // stay 0
};
void queue_metrics_register(struct queue_metrics *queue_metrics, struct metrics *metrics);
