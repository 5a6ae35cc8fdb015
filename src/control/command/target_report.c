#include "control/command/target_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "base/quantity.h"
#include "control/command/commands.h"
#include "control/state/cluster.h"
#include "control/state/expected_pod.h"
#include "engine/pods/placeholders.h"
#include "model/reading/pod.h"

#define REST_NS     MINUTE
#define REST_MAX_NS (15 * MINUTE)
#define NANOUSD     1e9

struct successors { // of a workload's evicted pods
    uint32_t left;  // not bound yet
    int64_t since;  // wall clock: pods created from then on count
};

struct target_report {
    struct control *control;
    const struct commands *registry;
    bool is_open;
    int64_t begun_ns, last_ns; // monotonic: the first decision; the last event
    uint32_t commands, nodes, launched, evicted, unplanned;
    int64_t saved;          // by consolidation: nano-USD an hour
    struct map *pools;      // names of the disrupted NodePools; no values
    struct map *successors; // struct successors by UID of the workload
};

static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object);

struct target_report *target_report_create(struct control *control, const struct commands *commands)
{
    struct target_report *report = memory_allocate(sizeof *report);
    report->control = control;
    report->registry = commands;
    report->pools = map_create();
    report->successors = map_create();
    mirror_on_change(control->manager.mirror, KIND_POD, on_pod, report);
    return report;
}

void target_report_destroy(struct target_report *report)
{
    if (report == NULL)
        return;
    map_destroy(report->pools, NULL);
    map_destroy(report->successors, free);
    free(report);
}

static void begin_anew(struct target_report *report, int64_t begun_ns)
{
    map_destroy(report->pools, NULL);
    map_destroy(report->successors, free);
    *report = (struct target_report){.control = report->control,
                                     .registry = report->registry,
                                     .is_open = true,
                                     .begun_ns = begun_ns,
                                     .pools = map_create(),
                                     .successors = map_create()};
}

// --- evicted pods --------------------------------------------------------------------------------

static void expect_successor(struct target_report *report, const struct pod *pod)
{
    const char *workload = pod_controller_uid(pod);
    if (workload == NULL || !pod_needs_place(pod))
        return;
    struct successors *successors = map_ensure(report->successors, workload, sizeof *successors);
    if (successors->left++ == 0)
        successors->since = manager_now(&report->control->manager);
}

// The workload's entry if the pod may be a successor. Timestamps of objects are whole seconds.
static struct successors *successors_of(const struct target_report *report, const struct pod *pod)
{
    const char *workload = pod_controller_uid(pod);
    struct successors *successors = workload != NULL ? map_get(report->successors, workload) : NULL;
    return successors != NULL && successors->left > 0 &&
                   pod->meta.creation_timestamp >= ns_subtract(successors->since, SECOND)
               ? successors
               : NULL;
}

static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object)
{
    const struct target_report *report = context;
    const struct pod *before = (const struct pod *)old_object;
    const struct pod *pod = (const struct pod *)new_object;
    (void)change;
    bool was_bound = before != NULL && pod_is_bound(before);
    if (!report->is_open || pod == NULL || !pod_is_bound(pod) || was_bound)
        return;
    struct successors *successors = successors_of(report, pod);
    if (successors != NULL)
        successors->left--;
}

static bool was_evicted(const struct target_report *report, const struct pod *pod)
{
    if (pod_is_placeholder(pod) || pod_is_expected(pod))
        return false;
    return pod_is_bound(pod) ? commands_has(report->registry, pod->spec.node_name)
                             : successors_of(report, pod) != NULL;
}

void target_report_bought(struct target_report *report, const struct plan_claim *planned,
                          const struct node_claim *claim)
{
    const char *pool = planned->node_pool->meta.name;
    const struct pod *evicted = NULL;
    list_for_each (pod, &planned->pods)
        if (report->is_open && evicted == NULL && was_evicted(report, *pod))
            evicted = *pod;
    if (evicted == NULL)
        return;
    report->unplanned++;
    report->last_ns = loop_monotonic_ns(report->control->manager.loop);
    metric_add(report->control->metrics.unplanned_node_claims, 1, pool);
    log_info("evicted pods needed a node that no command had planned", "s:controller", "disruption",
             "o:NodePool", pool, "o:NodeClaim", claim->meta.name, "n:Pod", evicted->meta.namespace,
             evicted->meta.name);
}

// --- commands ------------------------------------------------------------------------------------

static bool saves_money(const struct disruption_command *command)
{
    return command->reason != DISRUPTION_DRIFTED;
}

void target_report_begin(struct target_report *report, const struct disruption_command *command)
{
    if (!report->is_open)
        begin_anew(report, command->created_ns);
    report->commands++;
    report->last_ns = loop_monotonic_ns(report->control->manager.loop);
    list_for_each (entry, &command->nodes) {
        const struct pod_list *pods = cluster_pods(report->control->cluster, entry->node);
        map_set(report->pools, entry->pool, report);
        for (uint32_t i = 0; i < pods->count; i++)
            expect_successor(report, pods->items[i]);
    }
}

static int64_t price_of_replacements(const struct control *control,
                                     const struct disruption_command *command)
{
    int64_t price = 0;
    list_for_each (replacement, &command->replacements) {
        const struct node_claim *claim = find_claim(control, replacement->name);
        if (claim != NULL)
            price = quantity_add(price, claim_price(control, claim, NULL));
    }
    return price;
}

void target_report_end(struct target_report *report, const struct disruption_command *command)
{
    struct control *control = report->control;
    if (saves_money(command))
        list_for_each (entry, &command->nodes)
            metric_add(control->metrics.consolidation_evicted_pods, entry->pods, entry->pool);
    if (!report->is_open)
        return; // a predecessor began it
    report->last_ns = loop_monotonic_ns(control->manager.loop);
    report->nodes += command->nodes.count;
    report->launched += command->replacements.count;
    report->evicted += command_pods(command);
    if (saves_money(command) && command->price > 0)
        report->saved =
            quantity_add(report->saved, command->price - price_of_replacements(control, command));
}

// --- rest ----------------------------------------------------------------------------------------

static int64_t rest_of(const struct control *control)
{
    int64_t longest_ns = 0;
    struct mirror_iterator iterator = {0};
    for (const struct object *object;
         (object = mirror_next(control->manager.mirror, KIND_NODE_POOL, &iterator)) != NULL;) {
        const struct node_pool *pool = (const struct node_pool *)object;
        int64_t after_ns = pool->spec.disruption.consolidate_after.nanoseconds;
        if (managed_pool(control, pool) && after_ns != DURATION_NEVER && after_ns > longest_ns)
            longest_ns = after_ns;
    }
    int64_t rest_ns = ns_add(REST_NS, longest_ns);
    return rest_ns < REST_MAX_NS ? rest_ns : REST_MAX_NS;
}

static void describe(const struct target_report *report, double seconds, struct text *out)
{
    double saved = (double)report->saved / NANOUSD;
    text_format(
        out,
        "%u command(s) within %.0f s, %u node(s) removed, %u launched in their place, %u more "
        "for pods that were evicted; %u pod(s) evicted",
        report->commands, seconds, report->nodes, report->launched, report->unplanned,
        report->evicted);
    if (saved > 0)
        text_format(out, ", %.1f for each dollar an hour of the $%.2f saved",
                    report->evicted / saved, saved);
}

static void publish_report(const struct target_report *report)
{
    struct control *control = report->control;
    double seconds = (double)ns_subtract(report->last_ns, report->begun_ns) / SECOND;
    metric_observe(control->metrics.target_seconds, seconds);
    log_info("disruption has come to rest", "s:controller", "disruption", "i:commands",
             (int64_t)report->commands, "f:seconds", seconds, "i:nodes-removed",
             (int64_t)report->nodes, "i:replacements", (int64_t)report->launched, "i:unplanned",
             (int64_t)report->unplanned, "i:pods-evicted", (int64_t)report->evicted, "f:savings",
             (double)report->saved / NANOUSD);
    struct text text = {0};
    describe(report, seconds, &text);
    for (struct map_entry *at = map_first(report->pools); at != NULL; at = map_next(at)) {
        const struct node_pool *pool = find_pool(control, map_key(at));
        if (pool != NULL && report->evicted > 0 && control->strategy->reports_results)
            publish(&control->manager, (const struct object *)pool, EVENT_DISRUPTION_SETTLED,
                    "Disruption settled: %s", text.data);
    }
    text_free(&text);
}

void target_report_review(struct target_report *report)
{
    struct control *control = report->control;
    int64_t now_ns = loop_monotonic_ns(control->manager.loop);
    if (!report->is_open || commands_are_active(report->registry) ||
        ns_subtract(now_ns, report->last_ns) < rest_of(control))
        return;
    report->is_open = false;
    if (report->nodes > 0) // else every command was called off
        publish_report(report);
}
