#include "control/node/node_drain.h"

#include "base/nanoseconds.h"
#include "control/node/drain.h"
#include "control/node/drain_report.h"
#include "control/node/eviction_queue.h"
#include "control/state/cluster.h"
#include "model/schema/condition_types.h"

#define DRAIN_POLL_NS       SECOND
#define DRAIN_MINIMUM_NS    (5 * SECOND) // LIF-111
#define DRAIN_MINIMUM_SHORT SECOND
#define BLOCKED_REPORT_NS   (30 * SECOND) // LIF-449: between two changes of the condition's message

// LIF-111: the age of the taint at which "no pods left" is final. A pod may have been bound just
// before the taint; if no pod of the cluster is pending, only the moment between decision and
// binding counts.
static int64_t drain_minimum(const struct termination_pass *pass)
{
    if (!pass->control->strategy->drains_briefly ||
        cluster_unbound_pods(pass->control->cluster) > 0)
        return DRAIN_MINIMUM_NS;
    return DRAIN_MINIMUM_SHORT;
}

// LIF-112. LIF-449: also the blocking pods, once for each set of them.
static void publish_waiting(struct termination_pass *pass, uint32_t waiting, const char *blockers)
{
    bool names = blockers != NULL && pass->control->strategy->names_drain_blockers;
    publish_keyed(&pass->control->manager, (const struct object *)pass->node, EVENT_FAILED_DRAINING,
                  names ? blockers : pass->node->meta.name,
                  "Failed to drain node, %u pods are waiting to be evicted%s%s", waiting,
                  names ? ": " : "", names ? blockers : "");
}

// The condition's message names the pods that have blocked the drain for a while. It changes
// slowly, since each change is a write.
static const char *draining_message(struct termination_pass *pass, const char *blockers)
{
    struct node_record *record = pass->record;
    const struct condition *present = conditions_get(&pass->conditions, CONDITION_DRAINED);
    if (blockers == NULL || !pass->control->strategy->names_drain_blockers) {
        record->blocked_ns = 0;
        return "Draining";
    }
    if (record->blocked_ns == 0)
        record->blocked_ns = pass->now_ns;
    if (ns_subtract(pass->now_ns, record->blocked_ns) < BLOCKED_REPORT_NS)
        return present != NULL && text_equal(present->reason, "Draining") ? present->message
                                                                          : "Draining";
    record->blocked_ns = pass->now_ns;
    return arena_format(pass->arena, "Draining, waiting for %s", blockers);
}

static void report_waiting(struct termination_pass *pass, const struct pod_list *pods,
                           uint32_t waiting)
{
    struct text blockers = {0};
    drain_blockers(pass->control, pass->shared->evictions, pods, pass->now, &blockers);
    publish_waiting(pass, waiting, blockers.data);
    if (pass->claim != NULL)
        conditions_set(&pass->conditions, CONDITION_DRAINED, "Unknown", CONDITION_REASON_DRAINING,
                       draining_message(pass, blockers.data));
    text_free(&blockers);
}

// LIF-450: before the machine ends, an event names the pods that are left on it.
static void publish_stuck(const struct termination_pass *pass, const struct pod_list *pods)
{
    struct text names = {0};
    drain_stuck(pods, pass->now, &names);
    if (names.data != NULL && pass->control->strategy->names_drain_blockers)
        publish(&pass->control->manager, (const struct object *)pass->node, EVENT_FAILED_DRAINING,
                "Failed to drain node, no longer waiting for pods that do not end: %s", names.data);
    text_free(&names);
}

// Pods may be bound to the node past the taint until its machine is deleted: these are drained,
// too.
bool node_drained(struct termination_pass *pass, struct reconcile_result *result)
{
    struct drain drain;
    bool was_drained =
        pass->claim != NULL && conditions_are(&pass->conditions, CONDITION_DRAINED, "True");
    if (was_drained && (pass->record->deletion.is_accepted ||
                        conditions_are(&pass->conditions, CONDITION_INSTANCE_TERMINATING, "True")))
        return true;
    const struct pod_list *pods = cluster_pods(pass->control->cluster, pass->node->meta.name);
    drain_plan(&drain, pods, pass->deadline, pass->now);
    for (uint32_t i = 0; i < drain.evict.count; i++)
        eviction_queue_add(pass->shared->evictions, drain.evict.items[i], pass->deadline);
    uint32_t waiting = drain.waiting;
    drain_free(&drain);
    *result = reconcile_after(DRAIN_POLL_NS);
    if (waiting > 0) {
        report_waiting(pass, pods, waiting);
        return false;
    }
    if (was_drained)
        return true;
    int64_t left =
        ns_subtract(ns_add(pass->record->tainted_at_ns, drain_minimum(pass)), pass->now_ns);
    if (pass->claim != NULL && left > 0) {
        termination_set_condition(pass, CONDITION_DRAINED, "Unknown", CONDITION_REASON_DRAINING);
        *result = reconcile_after(left < DRAIN_POLL_NS ? left : DRAIN_POLL_NS);
        return false;
    }
    publish_stuck(pass, pods);
    termination_set_condition_true(pass, CONDITION_DRAINED);
    return true;
}
