#include "control/disruption/emptiness_schedule.h"

#include <stdlib.h>

#include "base/nanoseconds.h"
#include "control/command/commands.h"
#include "control/disruption/disruption_emptiness.h"
#include "control/disruption/disruption_intervals.h"
#include "control/disruption/disruption_queue.h"
#include "control/disruption/evaluation_report.h"
#include "control/state/cluster.h"
#include "reconcile/deadline.h"

#define LOOK_NODE_NS (250 * INT64_C(1000))
#define TELL_NODE_NS (10 * MILLISECOND)

struct emptiness_schedule { // all instants are monotonic
    struct evaluation_options options;
    const struct disruption_parts *parts;
    struct evaluation_runner *runner;
    bool dirty;
    int64_t evaluated_ns;     // the beginning of the last look
    uint32_t evaluated_nodes; // in the cluster then: those that leave make room in budgets
    int64_t evaluated_state;  // cluster_changed_at() then
    int64_t glanced_ns;       // when it was last found that a look had nothing to find
    int64_t again_ns;         // look even without a change
};

struct emptiness_schedule *emptiness_schedule_create(const struct evaluation_options *options)
{
    struct emptiness_schedule *schedule = memory_allocate(sizeof *schedule);
    *schedule = (struct emptiness_schedule){.options = *options,
                                            .parts = options->parts,
                                            .runner = evaluation_runner_create(options),
                                            .dirty = true,
                                            .evaluated_ns = -LOOK_SOON_NS,
                                            .glanced_ns = -LOOK_SOON_NS};
    return schedule;
}

void emptiness_schedule_destroy(struct emptiness_schedule *schedule)
{
    if (schedule == NULL)
        return;
    evaluation_runner_destroy(schedule->runner);
    free(schedule);
}

void emptiness_schedule_touch(struct emptiness_schedule *schedule)
{
    schedule->dirty = true;
}

bool emptiness_schedule_is_running(const struct emptiness_schedule *schedule)
{
    return evaluation_runner_is_running(schedule->runner);
}

// --- due times -----------------------------------------------------------------------------------
static bool there_is_news(const struct emptiness_schedule *schedule, struct cluster *cluster)
{
    return schedule->dirty || cluster_changed_at(cluster) != schedule->evaluated_state;
}

// A pause that grows with the cluster.
static int64_t pause_by_nodes(const struct cluster *cluster, int64_t node_ns)
{
    return ns_add(LOOK_SOON_NS, ns_multiply(node_ns, cluster_count(cluster)));
}

// Where no node can be empty, a look only tells what has changed.
static int64_t report_due(const struct emptiness_schedule *schedule, struct cluster *cluster)
{
    return ns_add(schedule->evaluated_ns,
                  ns_minimum(pause_by_nodes(cluster, TELL_NODE_NS), LOOK_AGAIN_NS));
}

// When news is worth a look, or a glance at whether it is.
static int64_t evaluate_not_before(const struct emptiness_schedule *schedule,
                                   struct cluster *cluster)
{
    int64_t last_ns = ns_maximum(schedule->evaluated_ns, schedule->glanced_ns);
    return ns_minimum(ns_add(last_ns, pause_by_nodes(cluster, LOOK_NODE_NS)),
                      report_due(schedule, cluster));
}

static bool is_due(struct emptiness_schedule *schedule, int64_t now_ns)
{
    const struct disruption_parts *parts = schedule->parts;
    struct cluster *cluster = parts->control->cluster;
    if (now_ns >= disruption_queue_next_due(parts->queue, true) || now_ns >= schedule->again_ns)
        return true;
    if (!there_is_news(schedule, cluster) || now_ns < evaluate_not_before(schedule, cluster))
        return false;
    if (now_ns >= report_due(schedule, cluster) ||
        cluster_count(cluster) != schedule->evaluated_nodes || emptiness_is_possible(parts))
        return true;
    schedule->glanced_ns = now_ns;
    return false;
}

static void start(struct emptiness_schedule *schedule, int64_t now_ns)
{
    struct cluster *cluster = schedule->parts->control->cluster;
    schedule->evaluated_ns = now_ns;
    schedule->evaluated_state = cluster_changed_at(cluster);
    schedule->evaluated_nodes = cluster_count(cluster);
    schedule->dirty = false;
    emptiness_note_seen(schedule->parts);
    evaluation_runner_start(schedule->runner,
                            evaluation_create(schedule->parts, EVALUATION_EMPTINESS));
}

int64_t emptiness_schedule_start(struct emptiness_schedule *schedule)
{
    const struct disruption_parts *parts = schedule->parts;
    struct control *control = parts->control;
    struct deadline next = {NS_NEVER};
    if (emptiness_schedule_is_running(schedule))
        return NS_NEVER;
    int64_t now_ns = loop_monotonic_ns(control->manager.loop);
    bool is_wave = pod_waves_left(schedule->options.waves, control) > 0;
    bool may_look = !is_wave || commands_are_active(parts->commands);
    if (may_look && is_due(schedule, now_ns)) {
        start(schedule, now_ns);
        return NS_NEVER;
    }
    deadline_by(&next, disruption_queue_next_due(parts->queue, true));
    if (may_look)
        deadline_by(&next, schedule->again_ns);
    if (!is_wave && there_is_news(schedule, control->cluster))
        deadline_by(&next, evaluate_not_before(schedule, control->cluster));
    return next.at_ns;
}

// --- results -------------------------------------------------------------------------------------
bool emptiness_schedule_carry_out(struct emptiness_schedule *schedule)
{
    const struct disruption_parts *parts = schedule->parts;
    const struct manager *manager = &parts->control->manager;
    struct disruption_evaluation *evaluation = evaluation_runner_take(schedule->runner);
    if (evaluation == NULL)
        return false;
    bool may_start = pod_waves_left(schedule->options.waves, parts->control) == 0;
    bool put_off = evaluation_carry_out(evaluation, may_start).put_off;
    emptiness_note_kept(parts, put_off);
    evaluation_report(evaluation, schedule->options.metrics);
    schedule->dirty = schedule->dirty || put_off;
    // A present blocker of a node may end by the clock alone (DIS-705).
    int64_t left_ns = ns_minimum(evaluation->waits || put_off ? LOOK_AGAIN_NS : LOOK_SETTLED_NS,
                                 ns_subtract(evaluation->next_change, manager_now(manager)));
    schedule->again_ns = ns_add(loop_monotonic_ns(manager->loop), left_ns);
    evaluation_destroy(evaluation);
    return true;
}
