#include "control/nomination/scheduler_quiet.h"

#include "base/nanoseconds.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "control/state/state_node.h"

#define QUIET_NS     (250 * MILLISECOND) // without an attempt in vain
#define VAIN_WAIT_NS SECOND
#define STILL_NS     (3 * SECOND)

static bool any_node_is_open(const struct cluster *cluster)
{
    struct map_entry *position = NULL;
    const struct state_node *state;
    while ((state = cluster_next(cluster, &position)) != NULL)
        if (state_initialized(state) && !state_marked(state))
            return true;
    return false;
}

enum scheduler_rest scheduler_rest(const struct control *control, int64_t since_ns,
                                   int64_t patience_ns)
{
    const struct cluster *cluster = control->cluster;
    int64_t now_ns = loop_monotonic_ns(control->manager.loop);
    int64_t left_ns = cluster_attempts_ns(cluster);
    int64_t wait_ns = left_ns > patience_ns ? VAIN_WAIT_NS : patience_ns;
    int64_t begun_ns = left_ns > 0 ? cluster_attempts_since(cluster) : cluster_last_turn(cluster);
    if (ns_subtract(now_ns, begun_ns) >= ns_maximum(QUIET_NS, left_ns))
        return SCHEDULER_RESTS;
    return ns_subtract(now_ns, since_ns) >= wait_ns || !any_node_is_open(cluster)
               ? SCHEDULER_WAIT_IS_OVER
               : SCHEDULER_IS_BUSY;
}

bool scheduler_stands_still(const struct control *control)
{
    const struct cluster *cluster = control->cluster;
    int64_t last_ns = ns_maximum(cluster_last_turn(cluster), cluster_last_landing(cluster));
    return ns_subtract(loop_monotonic_ns(control->manager.loop), last_ns) >= STILL_NS;
}
