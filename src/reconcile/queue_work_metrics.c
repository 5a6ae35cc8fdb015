#include "reconcile/queue_work_metrics.h"

#include <assert.h>

#include "base/metrics_text.h"
#include "reconcile/manager.h"

static void collect(void *context, const struct metric *metric, struct text *out)
{
    const struct manager *manager = context;
    for (uint32_t i = 0; i < manager->queues.count; i++) {
        const struct reconcile_queue *queue = manager->queues.items[i];
        const char *const values[] = {reconcile_queue_name(queue), reconcile_queue_name(queue)};
        double unfinished, longest;
        reconcile_queue_work(queue, &unfinished, &longest);
        assert(longest <= unfinished);
        metric_emit(metric, out,
                    metric == manager->queue_metrics.unfinished_seconds ? unfinished : longest,
                    values, ARRAY_LENGTH(values));
    }
}

void queue_work_metrics_collect(struct manager *manager, bool on)
{
    metric_collect(manager->queue_metrics.unfinished_seconds, on ? collect : NULL, manager);
    metric_collect(manager->queue_metrics.longest_seconds, on ? collect : NULL, manager);
}
