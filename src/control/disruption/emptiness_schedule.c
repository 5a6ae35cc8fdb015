#include "control/disruption/emptiness_schedule.h"

#include "base/nanoseconds.h"
#include "control/disruption/disruption_emptiness.h"
#include "control/disruption/disruption_intervals.h"
#include "control/disruption/disruption_queue.h"
#include "control/state/cluster.h"

#define LOOK_NODE_NS (250 * INT64_C(1000))
#define TELL_NODE_NS (10 * MILLISECOND)

void emptiness_schedule_init(struct emptiness_schedule *schedule)
{
    *schedule = (struct emptiness_schedule){
        .dirty = true, .evaluated_ns = -LOOK_SOON_NS, .glanced_ns = -LOOK_SOON_NS};
}

static bool there_is_news(const struct emptiness_schedule *schedule, struct cluster *cluster)
{
    return schedule->dirty || cluster_changed_at(cluster) != schedule->evaluated_state;
}

// A pause that grows with the cluster.
static int64_t pause_by_nodes(const struct cluster *cluster, int64_t node_ns)
{
    return ns_add(LOOK_SOON_NS, ns_multiply(node_ns, cluster_count(cluster)));
}

// Where no node can be empty, a turn only tells what has changed.
static int64_t tell_due(const struct emptiness_schedule *schedule, struct cluster *cluster)
{
    return ns_add(schedule->evaluated_ns,
                  ns_minimum(pause_by_nodes(cluster, TELL_NODE_NS), LOOK_AGAIN_NS));
}

// When news is worth a look, or a glance at whether it is.
static int64_t look_not_before(const struct emptiness_schedule *schedule, struct cluster *cluster)
{
    int64_t last_ns = ns_maximum(schedule->evaluated_ns, schedule->glanced_ns);
    return ns_minimum(ns_add(last_ns, pause_by_nodes(cluster, LOOK_NODE_NS)),
                      tell_due(schedule, cluster));
}

bool emptiness_schedule_is_due(struct emptiness_schedule *schedule,
                               const struct disruption_parts *parts, int64_t now_ns)
{
    struct cluster *cluster = parts->control->cluster;
    if (now_ns >= disruption_queue_next_due(parts->queue, true) || now_ns >= schedule->again_ns)
        return true;
    if (!there_is_news(schedule, cluster) || now_ns < look_not_before(schedule, cluster))
        return false;
    if (now_ns >= tell_due(schedule, cluster) ||
        cluster_count(cluster) != schedule->evaluated_nodes || emptiness_is_possible(parts))
        return true;
    schedule->glanced_ns = now_ns;
    return false;
}

void emptiness_schedule_run(struct emptiness_schedule *schedule,
                            const struct disruption_parts *parts, bool may_start)
{
    const struct manager *manager = &parts->control->manager;
    schedule->evaluated_ns = loop_monotonic_ns(manager->loop);
    schedule->evaluated_state = cluster_changed_at(parts->control->cluster);
    schedule->evaluated_nodes = cluster_count(parts->control->cluster);
    struct emptiness_outcome outcome = emptiness_turn(parts, may_start);
    schedule->dirty = outcome.put_off;
    // What holds a node back now may end by the clock alone (DIS-705).
    int64_t left_ns = ns_minimum(outcome.waits || outcome.put_off ? LOOK_AGAIN_NS : LOOK_SETTLED_NS,
                                 ns_subtract(outcome.next_change, manager_now(manager)));
    schedule->again_ns = ns_add(loop_monotonic_ns(manager->loop), left_ns);
}

int64_t emptiness_schedule_news_due(const struct emptiness_schedule *schedule,
                                    const struct disruption_parts *parts, int64_t now_ns)
{
    struct cluster *cluster = parts->control->cluster;
    return schedule->evaluated_ns < now_ns && there_is_news(schedule, cluster)
               ? look_not_before(schedule, cluster)
               : NS_NEVER;
}
