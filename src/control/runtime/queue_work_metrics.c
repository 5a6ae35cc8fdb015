#include "control/runtime/queue_work_metrics.h"

#include "control/runtime/control.h"

static void collect(void *context, const struct metric *metric, struct text *out)
{
    const struct control *control = context;
    for (uint32_t i = 0; i < control->queues.count; i++) {
        const struct reconcile_queue *queue = control->queues.items[i];
        const char *const values[] = {reconcile_queue_name(queue), reconcile_queue_name(queue)};
        double unfinished, longest;
        reconcile_queue_work(queue, &unfinished, &longest);
        metric_emit(metric, out,
                    metric == control->queue_metrics.unfinished_seconds ? unfinished : longest,
                    values, ARRAY_LENGTH(values));
    }
}

void queue_work_metrics_collect(struct control *control, bool on)
{
    metric_collect(control->queue_metrics.unfinished_seconds, on ? collect : NULL, control);
    metric_collect(control->queue_metrics.longest_seconds, on ? collect : NULL, control);
}
