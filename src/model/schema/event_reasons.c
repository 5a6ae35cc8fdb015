#include "model/schema/event_reasons.h"

#include <assert.h>

#include "base/duration.h"

#define CLAIM        KIND_BIT(KIND_NODE_CLAIM)
#define NODE         KIND_BIT(KIND_NODE)
#define POD          KIND_BIT(KIND_POD)
#define POOL         KIND_BIT(KIND_NODE_POOL)
#define PDB          KIND_BIT(KIND_POD_DISRUPTION_BUDGET)
#define DAEMON_SET   KIND_BIT(KIND_DAEMON_SET)
#define BUFFER       KIND_BIT(KIND_CAPACITY_BUFFER)
#define NODE_CLASSES (KIND_BIT(KIND_EC2_NODE_CLASS) | KIND_BIT(KIND_KWOK_NODE_CLASS))
#define ANY          (KIND_BIT(KIND_COUNT) - 1)

#define USUAL (2 * MINUTE) // LIF-370

static const struct event_row rows[] = {
    [EVENT_AWAITING_VOLUME_DETACHMENT] =
        {"AwaitingVolumeDetachment", EVENT_NORMAL, NODE, USUAL,
         "the Node is drained, and volumes of its pods are still attached; the message names some",
         "LIF-131"},
    [EVENT_CAPACITY_RESERVATION_INSTANCE_INTERRUPTED] =
        {"CapacityReservationInstanceInterrupted", EVENT_WARNING, NODE | CLAIM, USUAL,
         "EC2 takes the instance back for the owner of its capacity reservation in two minutes; "
         "the node is replaced",
         "AWI-570"},
    [EVENT_CONDITION_TRANSITIONED] =
        {NULL, EVENT_NORMAL, CLAIM | POOL | NODE | NODE_CLASSES | BUFFER, USUAL,
         "the status of the condition has changed; the message has both, the reason and the text",
         "LIF-370", .rate = 10, .burst = 200},
    [EVENT_CONSOLIDATION_APPROVED] =
        {"ConsolidationApproved", EVENT_NORMAL, NODE | CLAIM | POOL, USUAL,
         "the policy Balanced finds that a consolidation saves enough for what it disrupts; on the "
         "NodePool for one of several nodes",
         "DIS-386"},
    [EVENT_CONSOLIDATION_CANDIDATE] =
        {"ConsolidationCandidate", EVENT_NORMAL, NODE | CLAIM, 15 * MINUTE,
         "a consolidation begins that replaces the node; the message has the command and its "
         "savings",
         "DIS-382"},
    [EVENT_CONSOLIDATION_DELAYED] =
        {"ConsolidationDelayed", EVENT_NORMAL, POOL, HOUR,
         "empty nodes were launched again soon after they went, so that they are kept for longer",
         "DIS-752"},
    [EVENT_CONSOLIDATION_LOOP] =
        {"ConsolidationLoop", EVENT_WARNING, POOL, HOUR,
         "a consolidation undoes an earlier one; neither is done again for a day", "DIS-748"},
    [EVENT_CONSOLIDATION_REJECTED] =
        {"ConsolidationRejected", EVENT_NORMAL, NODE | CLAIM, 15 * MINUTE,
         "a consolidation was given up before it began, as the cluster has changed; the message "
         "says in what",
         "DIS-383"},
    [EVENT_DAEMON_SET_REQUESTS_MISMATCH] =
        {"DaemonSetRequestsMismatch", EVENT_WARNING, DAEMON_SET, HOUR,
         "a pod of the DaemonSet requests more than its template says, so that a node became too "
         "small for the pods that were planned for it",
         "STO-14"},
    [EVENT_DISRUPTED] = {"Disrupted", EVENT_NORMAL, POD, USUAL,
                         "the pod is deleted past its PodDisruptionBudget, as its node has to end",
                         "LIF-122"},
    [EVENT_DISRUPTION_BLOCKED] =
        {"DisruptionBlocked", EVENT_NORMAL, NODE | CLAIM, USUAL,
         "a disruption method wants the node, and the message says what keeps it", "DIS-771"},
    [EVENT_DISRUPTION_BLOCKED_POOL] =
        {"DisruptionBlocked", EVENT_NORMAL, POOL | PDB, MINUTE,
         "nodes of the NodePool, or with pods of the budget, stay for now: a disruption budget or "
         "a limit is used up, replacements have failed, or the selector cannot be read",
         "DIS-129"},
    [EVENT_DISRUPTION_LAUNCHING] = {"DisruptionLaunching", EVENT_NORMAL, CLAIM, USUAL,
                                    "the NodeClaim replaces nodes that are disrupted", "DIS-323"},
    [EVENT_DISRUPTION_SETTLED] =
        {"DisruptionSettled", EVENT_NORMAL, POOL, USUAL,
         "nothing is left to disrupt; the message sums up what was done and what it saved",
         "DIS-749"},
    [EVENT_DISRUPTION_TERMINATING] = {"DisruptionTerminating", EVENT_NORMAL, NODE | CLAIM, USUAL,
                                      "a disruption deletes the node; the message has its reason",
                                      "DIS-324"},
    [EVENT_DISRUPTION_WAITING_READINESS] =
        {"DisruptionWaitingReadiness", EVENT_NORMAL, CLAIM, USUAL,
         "the NodeClaim replaces nodes, and is waited for until it is ready", "DIS-323"},
    [EVENT_DO_NOT_DISRUPT_GRACE_PERIOD_ELAPSED] =
        {"DoNotDisruptGracePeriodElapsed", EVENT_NORMAL, POD, USUAL,
         "the time of the pod's annotation karpenter.sh/do-not-disrupt is over", "DIS-41"},
    [EVENT_DO_NOT_DISRUPT_UNTIL] =
        {"DoNotDisruptUntil", EVENT_NORMAL, POD, USUAL,
         "the pod's annotation karpenter.sh/do-not-disrupt keeps its node until then", "DIS-41"},
    [EVENT_EVICTED] = {"Evicted", EVENT_NORMAL, POD, USUAL,
                       "the pod was evicted; the message says why its node goes", "LIF-123"},
    [EVENT_FAILED_CONSISTENCY_CHECK] =
        {"FailedConsistencyCheck", EVENT_WARNING, CLAIM, USUAL,
         "the Node has much less of a resource than was expected of its instance type", "LIF-180"},
    [EVENT_FAILED_DRAINING] =
        {"FailedDraining", EVENT_WARNING, NODE, USUAL,
         "pods are still to leave the Node; the message says how many, or which, and what holds "
         "them",
         "LIF-112"},
    [EVENT_FAILED_SCHEDULING] =
        {"FailedScheduling", EVENT_WARNING, POD, 5 * MINUTE,
         "neither a node nor a new NodeClaim takes the pod; the message says why", "SCH-390"},
    [EVENT_FEW_SPOT_POOLS] =
        {"FewSpotPools", EVENT_WARNING, POOL, HOUR,
         "launches of spot have fewer than five pools (instance types and zones) to choose from: "
         "capacity runs out, and interruptions are more likely",
         "AWI-932"},
    [EVENT_FINALIZED] = {"Finalized", EVENT_NORMAL, CLAIM | POOL | NODE | NODE_CLASSES | BUFFER,
                         USUAL, "a finalizer was taken off the object; the message names it",
                         "LIF-370", .rate = 10, .burst = 200},
    [EVENT_INCOMPATIBLE_CRD] =
        {"IncompatibleCRD", EVENT_WARNING, POOL | NODE_CLASSES, HOUR,
         "a CustomResourceDefinition of the cluster is missing, of another version or without "
         "fields that adze knows, which the API server then drops; the message has the command "
         "that mends it",
         "API-620"},
    [EVENT_INITIALIZATION_BLOCKED] =
        {"InitializationBlocked", EVENT_WARNING, CLAIM, 15 * MINUTE,
         "the Node has registered and is not initialized for minutes; the message says what is "
         "missing",
         "LIF-443"},
    [EVENT_INSTANCE_STOPPING] = {"InstanceStopping", EVENT_WARNING, NODE | CLAIM, USUAL,
                                 "the instance is stopping or has stopped; the node is replaced",
                                 "AWI-570"},
    [EVENT_INSTANCE_TERMINATING] = {"InstanceTerminating", EVENT_WARNING, NODE | CLAIM, USUAL,
                                    "the instance is terminating or has terminated", "AWI-570"},
    [EVENT_INSTANCE_UNHEALTHY] =
        {"InstanceUnhealthy", EVENT_WARNING, NODE | CLAIM, USUAL,
         "a status check of EC2 fails, or EC2 has scheduled an event; the node is replaced",
         "AWI-570"},
    [EVENT_INSUFFICIENT_CAPACITY_ERROR] =
        {"InsufficientCapacityError", EVENT_WARNING, CLAIM, USUAL,
         "the provider has no machine that the NodeClaim would take; it is deleted, and its pods "
         "are planned anew",
         "LIF-33"},
    [EVENT_INTERRUPTION_QUEUE_MISSING] =
        {"InterruptionQueueMissing", EVENT_WARNING, POOL, HOUR,
         "the NodePool uses spot, and there is no interruption queue, or the one that is set does "
         "not exist: interruptions are noticed late or not at all",
         "AWI-959"},
    [EVENT_INVALID_ANNOTATION] =
        {"InvalidAnnotation", EVENT_WARNING, POOL, MINUTE,
         "an annotation of the NodePool has no effect, as its value cannot be read", "SCH-521"},
    [EVENT_INVALID_DO_NOT_DISRUPT_ANNOTATION] =
        {"InvalidDoNotDisruptAnnotation", EVENT_WARNING, POD, USUAL,
         "the pod's annotation karpenter.sh/do-not-disrupt is no duration above zero, and is "
         "ignored",
         "DIS-41"},
    [EVENT_LAUNCH_BACK_OFF] =
        {"LaunchBackOff", EVENT_WARNING, POOL, SECOND,
         "launches of the NodePool have failed, and none is tried for a while", "LIF-440"},
    [EVENT_NO_COMPATIBLE_INSTANCE_TYPES] =
        {"NoCompatibleInstanceTypes", EVENT_WARNING, POOL, MINUTE,
         "no instance type fulfills the requirements of the NodePool", "SCH-45"},
    [EVENT_NODE_CLASS_NOT_FOUND] = {"NodeClassNotFound", EVENT_WARNING, CLAIM | POOL, USUAL,
                                    "the node class does not exist or is being deleted", "AWI-16"},
    [EVENT_NODE_CLASS_NOT_READY] = {"NodeClassNotReady", EVENT_WARNING, CLAIM, USUAL,
                                    "the NodeClaim is deleted, as its node class cannot be used",
                                    "LIF-33"},
    [EVENT_NODE_CLASS_PROBLEM] =
        {"NodeClassProblem", EVENT_WARNING, KIND_BIT(KIND_EC2_NODE_CLASS), 15 * MINUTE,
         "the node class is not ready, or AWS cannot be asked; the message has the condition, and "
         "names what is missing and where",
         "AWN-702"},
    [EVENT_NODE_NOT_REGISTERED] =
        {"NodeNotRegistered", EVENT_WARNING, CLAIM, 15 * MINUTE,
         "the machine was launched minutes ago and has not become a Node; the message has the last "
         "lines of its console, where they can be read",
         "STO-25"},
    [EVENT_NODE_REPAIR_BLOCKED] = {"NodeRepairBlocked", EVENT_WARNING, NODE | CLAIM | POOL,
                                   15 * MINUTE,
                                   "so many nodes are unhealthy that none of them is repaired",
                                   "LIF-197"},
    [EVENT_NOMINATED] = {"Nominated", EVENT_NORMAL, POD, USUAL,
                         "the pod should go to the Node or the new NodeClaim", "SCH-391", .rate = 5,
                         .burst = 10},
    [EVENT_SPOT_INTERRUPTED] =
        {"SpotInterrupted", EVENT_WARNING, NODE | CLAIM, USUAL,
         "EC2 takes the spot instance back in two minutes; the node is replaced", "AWI-570"},
    [EVENT_SPOT_REBALANCE_RECOMMENDATION] =
        {"SpotRebalanceRecommendation", EVENT_NORMAL, NODE | CLAIM, USUAL,
         "the spot instance has an elevated risk of interruption; nothing is done", "AWI-570"},
    [EVENT_SPOT_ROLE_MISSING] =
        {"SpotServiceLinkedRoleMissing", EVENT_WARNING, CLAIM, USUAL,
         "EC2's service-linked role for spot does not exist and may not be created: spot is left "
         "out for a while",
         "AWI-334"},
    [EVENT_TERMINATING_ON_INTERRUPTION] =
        {"TerminatingOnInterruption", EVENT_WARNING, NODE | CLAIM, USUAL,
         "the NodeClaim was deleted because its instance is interrupted", "AWI-570"},
    [EVENT_TERMINATION_GRACE_PERIOD_EXPIRING] =
        {"TerminationGracePeriodExpiring", EVENT_WARNING, NODE | CLAIM, USUAL,
         "the node has to end by then, with all pods that are left on it", "LIF-104"},
    [EVENT_UNCONSOLIDATABLE] = {"Unconsolidatable", EVENT_NORMAL, NODE | CLAIM, USUAL,
                                "why consolidation leaves the node alone", "DIS-140"},
    [EVENT_UNREADABLE] = {"Unreadable", EVENT_WARNING, ANY, USUAL,
                          "adze cannot read the object, and leaves alone what depends on it",
                          "API-603"},
    [EVENT_UNREADABLE_SELECTOR] =
        {"UnreadableSelector", EVENT_WARNING, PDB, USUAL,
         "the budget's selector cannot be read: it keeps the nodes of all pods of its namespace",
         "DIS-708"},
    [EVENT_UNREGISTERED_TAINT_MISSING] =
        {"UnregisteredTaintMissing", EVENT_WARNING, CLAIM, USUAL,
         "the Node has joined without the taint karpenter.sh/unregistered, so that pods may have "
         "come too early",
         "LIF-41"},
    [EVENT_USER_DATA_UNUSED] =
        {"UserDataUnused", EVENT_WARNING, KIND_BIT(KIND_EC2_NODE_CLASS), HOUR,
         "parts of spec.userData do not reach the machines, or cannot run there; the message names "
         "them",
         "AWN-711"},
    [EVENT_WAITING_ON_NODE_CLAIM_TERMINATION] =
        {"WaitingOnNodeClaimTermination", EVENT_NORMAL, NODE_CLASSES, USUAL,
         "the node class is being deleted, and stays until its NodeClaims are gone; the message "
         "names some",
         "AWN-90"},
    [EVENT_WAVE_PLACED] =
        {"WavePlaced", EVENT_NORMAL, POOL, USUAL,
         "the pods of a wave have their nodes; the message sums up what was launched for them",
         "SCH-516"},
    [EVENT_ZONAL_SHIFT_ACTIVE] =
        {"ZonalShiftActive", EVENT_WARNING, POOL, USUAL,
         "a zonal shift moves traffic away from a zone of the NodePool; nothing is launched there",
         "AWI-654"},
    [EVENT_ZONAL_SHIFT_CLEARED] = {"ZonalShiftCleared", EVENT_NORMAL, POOL, USUAL,
                                   "the zonal shift of a zone of the NodePool has ended",
                                   "AWI-654"},
    [EVENT_ZONAL_SHIFT_UNAVAILABLE] =
        {"ZonalShiftUnavailable", EVENT_WARNING, POOL, USUAL,
         "the zonal shifts of the cluster cannot be read; no zone counts as shifted anew",
         "AWI-942"},
};
static_assert(sizeof rows / sizeof *rows == EVENT_REASONS_COUNT, "every one has a row");

const struct event_row *event_row(enum event_reason reason)
{
    assert(reason < EVENT_REASONS_COUNT);
    return &rows[reason];
}

const char *event_name(enum event_reason reason)
{
    assert(event_row(reason)->name != NULL);
    return event_row(reason)->name;
}

bool event_is_of(enum event_reason reason, enum kind_id kind)
{
    assert(kind < KIND_COUNT);
    return (event_row(reason)->kinds & KIND_BIT(kind)) != 0;
}
