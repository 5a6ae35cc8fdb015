#include "control/node/drain.h"

#include <stdlib.h>

#include "base/nanoseconds.h"
#include "model/reading/pod.h"

#define STUCK_AFTER MINUTE

enum drain_group { // in the order of eviction (LIF-113)
    DRAIN_ORDINARY,
    DRAIN_DAEMON_SET,
    DRAIN_CRITICAL,
    DRAIN_CRITICAL_DAEMON_SET,
    DRAIN_GROUPS,
};

static enum drain_group pod_drain_group(const struct pod *pod)
{
    bool critical = text_equal(pod->spec.priority_class_name, "system-cluster-critical") ||
                    text_equal(pod->spec.priority_class_name, "system-node-critical");
    bool daemon_set = pod_owned_by_daemon_set(pod);
    if (critical)
        return daemon_set ? DRAIN_CRITICAL_DAEMON_SET : DRAIN_CRITICAL;
    return daemon_set ? DRAIN_DAEMON_SET : DRAIN_ORDINARY;
}

bool pod_is_drainable(const struct pod *pod, int64_t now)
{
    bool stuck = pod->meta.deletion_timestamp != 0 &&
                 ns_subtract(now, pod->meta.deletion_timestamp) > STUCK_AFTER;
    return !pod_tolerates_disruption(pod) && !pod_owned_by_node(pod) && !stuck;
}

bool pod_is_waiting(const struct pod *pod, int64_t now)
{
    return pod_is_drainable(pod, now) && !pod_is_terminal(pod);
}

bool pod_is_overdue(const struct pod *pod, int64_t deadline, int64_t now)
{
    if (deadline == 0)
        return false;
    if (pod->meta.deletion_timestamp != 0)
        return pod->meta.deletion_timestamp > deadline;
    if (!pod->spec.termination_grace_period_seconds.present)
        return false;
    return now > ns_subtract(deadline,
                             ns_multiply(pod->spec.termination_grace_period_seconds.value, SECOND));
}

void drain_plan(struct drain *drain, const struct pod_list *pods, int64_t deadline, int64_t now)
{
    *drain = (struct drain){0};
    enum drain_group first = DRAIN_GROUPS;
    for (uint32_t i = 0; i < pods->count; i++) {
        const struct pod *pod = pods->items[i];
        if (!pod_is_waiting(pod, now))
            continue;
        drain->waiting++;
        if (drain->blocking == NULL && pod_is_active(pod) && pod_is_protected(pod, now))
            drain->blocking = pod;
        if (pod_is_overdue(pod, deadline, now))
            vector_push(&drain->evict, pod);
        else if (pod_drain_group(pod) < first)
            first = pod_drain_group(pod);
    }
    for (uint32_t i = 0; i < pods->count; i++) {
        const struct pod *pod = pods->items[i];
        if (pod_is_waiting(pod, now) && !pod_is_overdue(pod, deadline, now) &&
            pod_drain_group(pod) == first)
            vector_push(&drain->evict, pod);
    }
}

void drain_free(struct drain *drain)
{
    vector_free(&drain->evict);
}
