#include "control/nomination/scheduler_quiet.h"

#include "base/nanoseconds.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "control/state/state_node.h"

#define QUIET_NS (250 * MILLISECOND) // without an attempt in vain
#define WAIT_NS  SECOND              // the longest wait for that

static bool any_node_is_open(const struct cluster *cluster)
{
    struct map_entry *position = NULL;
    const struct state_node *state;
    while ((state = cluster_next(cluster, &position)) != NULL)
        if (state_initialized(state) && !state_marked(state))
            return true;
    return false;
}

// An attempt with the same outcome as the one before is not seen: there may be a round of them
// after the last that was.
bool scheduler_is_quiet(const struct control *control, int64_t since_ns)
{
    const struct cluster *cluster = control->cluster;
    int64_t now_ns = loop_monotonic_ns(control->manager.loop);
    int64_t quiet_ns = ns_maximum(QUIET_NS, cluster_attempts_ns(cluster));
    return ns_subtract(now_ns, since_ns) >= WAIT_NS ||
           ns_subtract(now_ns, cluster_last_turn(cluster)) >= quiet_ns ||
           !any_node_is_open(cluster);
}
