#include "control/disruption/disruption_metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/metrics_text.h"
#include "base/nanoseconds.h"

struct disruption_metrics {
    struct control *control;
    struct map
        *examined; // "method/NodePool" -> int64_t: monotonic, when all its nodes were looked at
};

// DIS-709.
static void collect_ages(void *context, const struct metric *metric, struct text *out)
{
    const struct disruption_metrics *metrics = context;
    int64_t now_ns = loop_monotonic_ns(metrics->control->manager.loop);
    for (struct map_entry *entry = map_first(metrics->examined); entry != NULL;
         entry = map_next(entry)) {
        char method[32];
        const char *pool = strchr(map_key(entry), '/') + 1;
        snprintf(method, sizeof method, "%.*s", (int)(pool - 1 - map_key(entry)), map_key(entry));
        const char *const values[] = {pool, method};
        int64_t age_ns = ns_subtract(now_ns, *(const int64_t *)map_value(entry));
        metric_emit(metric, out, (double)age_ns / SECOND, values, ARRAY_LENGTH(values));
    }
}

struct disruption_metrics *disruption_metrics_create(struct control *control)
{
    struct disruption_metrics *metrics = memory_allocate(sizeof *metrics);
    metrics->control = control;
    metrics->examined = map_create();
    metric_collect(control->metrics.examined_age, collect_ages, metrics);
    return metrics;
}

void disruption_metrics_destroy(struct disruption_metrics *metrics)
{
    if (metrics == NULL)
        return;
    metric_collect(metrics->control->metrics.examined_age, NULL, NULL);
    map_destroy(metrics->examined, free);
    free(metrics);
}

void disruption_metrics_forget(struct disruption_metrics *metrics, const char *node_pool)
{
    const struct control_metrics *series = &metrics->control->metrics;
    metric_remove_matching(series->pool_allowed_disruptions, "nodepool", node_pool);
    metric_remove_matching(series->pool_consuming_budgets, "nodepool", node_pool);
    struct map_entry *next;
    for (struct map_entry *entry = map_first(metrics->examined); entry != NULL; entry = next) {
        next = map_next(entry);
        if (strcmp(strchr(map_key(entry), '/') + 1, node_pool) == 0)
            free(map_remove(metrics->examined, map_key(entry)));
    }
}

static void note_examined(struct disruption_metrics *metrics, const char *method, const char *pool)
{
    struct text key = {0};
    text_format(&key, "%s/%s", method, pool);
    int64_t *examined_ns = map_ensure(metrics->examined, key.data, sizeof *examined_ns);
    *examined_ns = loop_monotonic_ns(metrics->control->manager.loop);
    text_free(&key);
}

static void record_pool(struct disruption_metrics *metrics, const struct plan_turn *turn,
                        const struct plan_turn_pool *pool)
{
    const struct control_metrics *series = &metrics->control->metrics;
    const char *name = pool->pool->meta.name;
    if (find_pool(metrics->control, name) == NULL)
        return; // it was deleted during the evaluation, and its series are gone
    note_examined(metrics, disruption_method_name(turn->method), name);
    metric_set(series->pool_allowed_disruptions, (double)pool->allowed, name,
               disruption_reason_name(turn->reason));
    metric_set(series->pool_consuming_budgets, (double)pool->disrupting, name,
               disruption_reason_name(turn->reason));
    if (pool->error != NULL)
        log_error("detected disruption budget errors", "s:controller", "disruption", "s:error",
                  pool->error);
}

static void record_eligible(struct disruption_metrics *metrics, enum disruption_reason reason,
                            uint32_t eligible)
{
    metric_set(metrics->control->metrics.disruption_eligible, eligible,
               disruption_reason_label(reason));
}

// The two drift methods have candidates of their own, the two consolidations have the same
// (DIS-774).
static uint32_t eligible_of(const struct plan *plan, enum disruption_reason reason)
{
    uint32_t sum = 0, most = 0;
    list_for_each (turn, &plan->turns) {
        if (turn->reason != reason)
            continue;
        sum += turn->eligible;
        most = turn->eligible > most ? turn->eligible : most;
    }
    return reason == DISRUPTION_DRIFTED ? sum : most;
}

static void record_state(struct disruption_metrics *metrics, const struct plan *plan)
{
    const struct control_metrics *series = &metrics->control->metrics;
    metric_remove_all(series->repack_price);
    if (plan->repack.target > 0) {
        metric_set(series->repack_price, (double)plan->repack.price / 1e9, "now");
        metric_set(series->repack_price, (double)plan->repack.target / 1e9, "target");
    }
    metric_remove_all(series->nodes_by_rule);
    list_for_each (count, &plan->verdict_counts)
        metric_set(series->nodes_by_rule, count->nodes, count->rule);
}

void disruption_metrics_record(struct disruption_metrics *metrics, const struct plan *plan,
                               enum evaluation_kind kind)
{
    list_for_each (turn, &plan->turns)
        list_for_each (pool, &turn->pools)
            record_pool(metrics, turn, pool);
    if (kind == EVALUATION_EMPTINESS) {
        record_eligible(metrics, DISRUPTION_EMPTY, eligible_of(plan, DISRUPTION_EMPTY));
        return;
    }
    record_eligible(metrics, DISRUPTION_DRIFTED, eligible_of(plan, DISRUPTION_DRIFTED));
    if (kind == EVALUATION_DUE_NODES)
        return;
    record_eligible(metrics, DISRUPTION_UNDERUTILIZED, eligible_of(plan, DISRUPTION_UNDERUTILIZED));
    record_state(metrics, plan);
}

void disruption_metrics_record_none(struct disruption_metrics *metrics)
{
    record_eligible(metrics, DISRUPTION_DRIFTED, 0);
    record_eligible(metrics, DISRUPTION_UNDERUTILIZED, 0);
}
