#include "reconcile/queue_metrics.h"

#include "base/memory.h"

void queue_metrics_register(struct queue_metrics *m, struct metrics *registry)
{
    const struct metric_options families[] = {
        {.name = "controller_runtime_reconcile_total",
         .help = "Reconciles by result.",
         .type = METRIC_COUNTER,
         .labels = {"controller", "result"}},
        {.name = "controller_runtime_reconcile_errors_total",
         .help = "Reconciles that failed.",
         .type = METRIC_COUNTER,
         .labels = {"controller"}},
        {.name = "controller_runtime_reconcile_time_seconds",
         .help = "Time of a reconcile.",
         .type = METRIC_HISTOGRAM,
         .labels = {"controller"},
         .buckets = metric_duration_buckets,
         .buckets_count = metric_duration_buckets_count},
        {.name = "controller_runtime_max_concurrent_reconciles",
         .help = "Items that may be in work at once.",
         .type = METRIC_GAUGE,
         .labels = {"controller"}},
        {.name = "controller_runtime_active_workers",
         .help = "Items in work.",
         .type = METRIC_GAUGE,
         .labels = {"controller"}},
        {.name = "workqueue_depth",
         .help = "Items waiting for work.",
         .type = METRIC_GAUGE,
         .labels = {"name", "controller", "priority"}},
        {.name = "workqueue_adds_total",
         .help = "Items added.",
         .type = METRIC_COUNTER,
         .labels = {"name", "controller"}},
        {.name = "workqueue_retries_total",
         .help = "Items added again after a failure.",
         .type = METRIC_COUNTER,
         .labels = {"name", "controller"}},
        {.name = "workqueue_queue_duration_seconds",
         .help = "Time from ready to begun.",
         .type = METRIC_HISTOGRAM,
         .labels = {"name", "controller"},
         .buckets = metric_plain_buckets,
         .buckets_count = metric_plain_buckets_count},
        {.name = "workqueue_work_duration_seconds",
         .help = "Time in work.",
         .type = METRIC_HISTOGRAM,
         .labels = {"name", "controller"},
         .buckets = metric_plain_buckets,
         .buckets_count = metric_plain_buckets_count},
        {.name = "workqueue_unfinished_work_seconds",
         .help = "Time that the items in work have been so, together.",
         .type = METRIC_GAUGE,
         .labels = {"name", "controller"}},
        {.name = "workqueue_longest_running_processor_seconds",
         .help = "Time that the item longest in work has been so.",
         .type = METRIC_GAUGE,
         .labels = {"name", "controller"}},
    };
    static const char *const never[] = {// never happens here, but alerts query it
                                        "controller_runtime_terminal_reconcile_errors_total",
                                        "controller_runtime_reconcile_panics_total",
                                        "controller_runtime_reconcile_timeouts_total"};
    for (size_t i = 0; i < ARRAY_LENGTH(never); i++)
        m->never[i] =
            metrics_register(registry, &(struct metric_options){.name = never[i],
                                                                .help = "Always 0.",
                                                                .type = METRIC_COUNTER,
                                                                .labels = {"controller"}});
    struct metric **const slots[] = {&m->reconcile_total,
                                     &m->reconcile_errors,
                                     &m->reconcile_seconds,
                                     &m->max_concurrent,
                                     &m->active,
                                     &m->depth,
                                     &m->adds,
                                     &m->retries,
                                     &m->queue_seconds,
                                     &m->work_seconds,
                                     &m->unfinished_seconds,
                                     &m->longest_seconds};
    for (size_t i = 0; i < ARRAY_LENGTH(families); i++)
        *slots[i] = metrics_register(registry, &families[i]);
}
