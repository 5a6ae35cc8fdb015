#include "control/provisioning/wave_report.h"

#include <stdlib.h>

#include "base/nanoseconds.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"

#define OVER_AFTER_NS (10 * SECOND)

struct wave_report {
    struct control *control;
    bool is_open;
    int64_t begun_ns, last_ns; // monotonic: start of its first pass; its last purchase or landing
    uint32_t passes, purchases, claims, as_planned, elsewhere; // the last two: pods
    struct map *pools; // names of NodePools of its NodeClaims; no values
};

static void on_landing(void *context, bool as_planned);

struct wave_report *wave_report_create(struct control *control)
{
    struct wave_report *report = memory_allocate(sizeof *report);
    report->control = control;
    report->pools = map_create();
    cluster_on_landing(control->cluster, on_landing, report);
    return report;
}

void wave_report_destroy(struct wave_report *report)
{
    if (report == NULL)
        return;
    map_destroy(report->pools, NULL);
    free(report);
}

static void begin(struct wave_report *report, int64_t started_ns)
{
    struct map *pools = map_create();
    map_destroy(report->pools, NULL);
    *report = (struct wave_report){
        .control = report->control, .is_open = true, .begun_ns = started_ns, .pools = pools};
}

void wave_report_pass(struct wave_report *report, const struct provisioning_pass *pass)
{
    uint32_t bought = pass->created;
    if (pass->plan == NULL || (!report->is_open && bought == 0))
        return;
    if (!report->is_open)
        begin(report, pass->started_ns);
    report->passes++;
    if (bought == 0)
        return;
    report->purchases++;
    report->claims += bought;
    report->last_ns = loop_monotonic_ns(report->control->manager.loop);
    list_for_each (claim, &pass->plan->claims)
        map_set(report->pools, claim->node_pool->meta.name, report);
}

static void on_landing(void *context, bool as_planned)
{
    struct wave_report *report = context;
    if (!report->is_open)
        return;
    report->as_planned += as_planned;
    report->elsewhere += !as_planned;
    report->last_ns = loop_monotonic_ns(report->control->manager.loop);
}

static bool planned_pods_wait(const struct control *control)
{
    const struct pod_list *pods = cluster_provisionable(control->cluster);
    for (uint32_t i = 0; i < pods->count; i++)
        if (cluster_is_planned(control->cluster, pods->items[i]))
            return true;
    return false;
}

static void describe(const struct wave_report *report, double seconds, struct text *out)
{
    uint32_t pods = report->as_planned + report->elsewhere;
    text_format(out, "%u new NodeClaim(s) in %u purchase(s) and %u pass(es) within %.1f s",
                report->claims, report->purchases, report->passes, seconds);
    if (pods > 0)
        text_format(out, "; %u of %u planned pods (%.1f %%) are where they were planned",
                    report->as_planned, pods, 100.0 * report->as_planned / pods);
}

static void tell(const struct wave_report *report)
{
    struct control *control = report->control;
    double seconds = (double)ns_subtract(report->last_ns, report->begun_ns) / SECOND;
    metric_observe(control->metrics.wave_passes, report->passes);
    metric_observe(control->metrics.wave_purchases, report->purchases);
    metric_observe(control->metrics.wave_seconds, seconds);
    log_info("placed a wave of pods", "s:controller", "provisioner", "i:passes",
             (int64_t)report->passes, "i:purchases", (int64_t)report->purchases, "i:nodeclaims",
             (int64_t)report->claims, "i:pods-as-planned", (int64_t)report->as_planned,
             "i:pods-elsewhere", (int64_t)report->elsewhere, "f:seconds", seconds);
    struct text text = {0};
    describe(report, seconds, &text);
    for (struct map_entry *at = map_first(report->pools); at != NULL; at = map_next(at)) {
        const struct node_pool *pool = find_pool(control, map_key(at));
        if (pool != NULL && control->strategy->reports_results)
            publish(&control->manager, (const struct object *)pool, EVENT_WAVE_PLACED,
                    "Wave placed: %s", text.data);
    }
    text_free(&text);
}

void wave_report_review(struct wave_report *report)
{
    if (!report->is_open ||
        ns_subtract(loop_monotonic_ns(report->control->manager.loop), report->last_ns) <
            OVER_AFTER_NS ||
        planned_pods_wait(report->control))
        return;
    report->is_open = false;
    tell(report);
}
