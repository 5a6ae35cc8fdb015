#include "control/disruption/pod_waves.h"

#include "base/nanoseconds.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "control/state/state_node.h"
#include "model/reading/pod.h"

// Commands wait until a wave of leaving pods is over, or has lasted as long as the pause between
// two passes.
#define LEAVING_PODS     50
#define LEAVING_QUIET_NS SECOND
#define LEAVING_MAX_NS   (10 * SECOND)
// Evaluations of all nodes wait for those that rest soon.
#define UNREST_SHARE    10 // of the nodes
#define UNREST_MAX_NS   MINUTE
#define DISTURBING_PODS 20
#define ARRIVING_MAX_NS MINUTE
#define AWAITED_MAX_NS  (5 * MINUTE) // also if wave follows wave

void pod_waves_note_leaving(struct pod_waves *waves, int64_t now_ns)
{
    bool begins = waves->leaving_pods == 0 ||
                  ns_subtract(now_ns, waves->leaving_last_ns) >= LEAVING_QUIET_NS ||
                  ns_subtract(now_ns, waves->leaving_first_ns) >= LEAVING_MAX_NS;
    if (begins) {
        waves->leaving_pods = 0;
        waves->leaving_first_ns = now_ns;
    }
    waves->leaving_pods++;
    waves->leaving_last_ns = now_ns;
}

int64_t pod_waves_left(const struct pod_waves *waves, const struct control *control)
{
    int64_t now_ns = loop_monotonic_ns(control->manager.loop);
    if (waves->leaving_pods < LEAVING_PODS || !control->strategy->awaits_rest)
        return 0;
    int64_t end_ns = ns_minimum(ns_add(waves->leaving_last_ns, LEAVING_QUIET_NS),
                                ns_add(waves->leaving_first_ns, LEAVING_MAX_NS));
    return end_ns > now_ns ? ns_subtract(end_ns, now_ns) : 0;
}

// Workload controllers have yet to create many pods.
static bool wave_comes(const struct control *control)
{
    return cluster_missing_pods(control->cluster) >= DISTURBING_PODS;
}

// Pods of a wave that kube-scheduler is still to bind, to nodes that are there or on their way.
static bool pods_arrive(const struct control *control)
{
    const struct pod_list *pods = cluster_provisionable(control->cluster);
    for (uint32_t i = 0; i < pods->count; i++)
        if (pod_is_unexamined(pods->items[i]) ||
            cluster_is_planned(control->cluster, pods->items[i]))
            return true;
    return false;
}

// The node takes and gives pods again in a moment: its NodePool's consolidateAfter is nearly over.
static bool rests_soon(const struct control *control, const struct state_node *state)
{
    const struct node_claim *claim = state_only_claim(state);
    const struct node_pool *pool = claim != NULL ? pool_of_claim(control, claim) : NULL;
    if (pool == NULL || claim->status.last_pod_event_time == 0 || state_marked(state) ||
        pool->spec.disruption.consolidate_after.text == NULL ||
        pool->spec.disruption.consolidate_after.nanoseconds == DURATION_NEVER)
        return false;
    int64_t rests_at = ns_add(claim->status.last_pod_event_time,
                              pool->spec.disruption.consolidate_after.nanoseconds);
    int64_t left_ns = ns_subtract(rests_at, manager_now(&control->manager));
    return left_ns > 0 && left_ns <= UNREST_MAX_NS;
}

static bool many_rest_soon(const struct control *control)
{
    uint32_t soon = 0, all = 0;
    struct map_entry *position = NULL;
    for (const struct state_node *state;
         (state = cluster_next(control->cluster, &position)) != NULL; all++)
        soon += rests_soon(control, state);
    return soon > 1 && UNREST_SHARE * soon >= all;
}

// Pods arrive, and have not done so for too long, or a wave is still being created.
static bool awaits_arrivals(struct pod_waves *waves, const struct control *control, int64_t now_ns)
{
    bool comes = wave_comes(control);
    if (!comes && !pods_arrive(control)) {
        waves->arriving_ns = 0;
        return false;
    }
    if (waves->arriving_ns == 0)
        waves->arriving_ns = now_ns;
    if (!comes && ns_subtract(now_ns, waves->arriving_ns) >= ARRIVING_MAX_NS)
        return false;
    waves->disturbed_ns = now_ns;
    return true;
}

static bool is_unrest(struct pod_waves *waves, const struct control *control, int64_t now_ns)
{
    if (awaits_arrivals(waves, control, now_ns))
        return true;
    if (waves->leaving_pods >= DISTURBING_PODS && waves->leaving_last_ns > waves->disturbed_ns)
        waves->disturbed_ns = waves->leaving_last_ns;
    return waves->disturbed_ns != 0 && ns_subtract(now_ns, waves->disturbed_ns) < UNREST_MAX_NS &&
           many_rest_soon(control);
}

bool pod_waves_await_rest(struct pod_waves *waves, const struct control *control, int64_t now_ns)
{
    bool waits = is_unrest(waves, control, now_ns);
    if (waits && waves->unrest_ns == 0)
        waves->unrest_ns = now_ns;
    if (waits && ns_subtract(now_ns, waves->unrest_ns) < AWAITED_MAX_NS)
        return true;
    waves->unrest_ns = 0;
    return false;
}
