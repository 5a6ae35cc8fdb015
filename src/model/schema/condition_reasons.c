#include "model/schema/condition_reasons.h"

#include <assert.h>

#define OF(name)  (UINT64_C(1) << CONDITION_##name)
#define ROW(name) [CONDITION_REASON_##name]
#define DEPENDENTS                                                                            \
    (OF(READY) | OF(LAUNCHED) | OF(REGISTERED) | OF(INITIALIZED) | OF(VALIDATION_SUCCEEDED) | \
     OF(NODE_CLASS_READY))
static_assert(CONDITION_TYPES_COUNT <= 64, "a bit for each type");

static const struct condition_reason_row rows[] = {
    ROW(AWAITING_RECONCILIATION) = {"AwaitingReconciliation",
                                    DEPENDENTS | OF(NODE_REGISTRATION_HEALTHY),
                                    "nothing is known yet"},
    ROW(RECONCILING_DEPENDENTS) =
        {"ReconcilingDependents", OF(READY),
         "a condition that it depends on is Unknown; the message names it"},
    ROW(UNHEALTHY_DEPENDENTS) = {"UnhealthyDependents", OF(READY),
                                 "a condition that it depends on is False; the message names it"},
    ROW(AWAITING_VOLUME_DETACHMENT) = {"AwaitingVolumeDetachment", OF(VOLUMES_DETACHED),
                                       "volumes of pods that left are still attached"},
    ROW(CONSISTENCY_CHECK_FAILED) =
        {"ConsistencyCheckFailed", OF(CONSISTENT_STATE_FOUND),
         "a resource of the Node is much smaller than expected; an event names it"},
    ROW(DRAINING) =
        {"Draining", OF(DRAINED),
         "pods are still to leave; the message names those that have held it up for long"},
    ROW(INSTANCE_TYPE_NOT_FOUND) = {"InstanceTypeNotFound", OF(DRIFTED),
                                    "the provider no longer offers such a machine"},
    ROW(KNOWN_EPHEMERAL_TAINTS_EXIST) = {"KnownEphemeralTaintsExist", OF(INITIALIZED),
                                         "the Node has a taint of its start, such as not-ready"},
    ROW(LAUNCH_FAILED) =
        {"LaunchFailed", OF(LAUNCHED),
         "the provider could not create the machine, and gave no reason of its own"},
    ROW(MULTIPLE_NODES_FOUND) = {"MultipleNodesFound", OF(REGISTERED),
                                 "more than one Node has the machine's provider ID"},
    ROW(NODE_NOT_FOUND) = {"NodeNotFound", OF(REGISTERED) | OF(INITIALIZED),
                           "no Node has the machine's provider ID"},
    ROW(NODE_NOT_READY) = {"NodeNotReady", OF(INITIALIZED),
                           "the Node's own condition Ready is not True"},
    ROW(NODE_POOL_DRIFTED) = {"NodePoolDrifted", OF(DRIFTED),
                              "the NodePool's template has changed"},
    ROW(REQUIREMENTS_DRIFTED) = {"RequirementsDrifted", OF(DRIFTED),
                                 "the NodePool's requirements no longer allow the machine"},
    ROW(RESOURCE_NOT_REGISTERED) =
        {"ResourceNotRegistered", OF(INITIALIZED),
         "the Node does not have a resource that was requested; the message names it"},
    ROW(STARTUP_TAINTS_EXIST) = {"StartupTaintsExist", OF(INITIALIZED),
                                 "a startup taint is still on the Node; the message names it"},
    ROW(TERMINATION_GRACE_PERIOD_ELAPSED) =
        {"TerminationGracePeriodElapsed", OF(VOLUMES_DETACHED),
         "the node had to end before its volumes were detached"},
    ROW(HARDLY_MEANT) = {"HardlyMeant", OF(BUDGETS_QUESTIONABLE),
                         "the message names the field and what it does"},
    ROW(INSUFFICIENT_CAPACITY) =
        {"InsufficientCapacity", OF(LAUNCH_BACK_OFF),
         "the provider had no capacity in some offerings, which are tried ever more seldom"},
    ROW(LAUNCHES_FAIL) = {"LaunchesFail", OF(LAUNCH_BACK_OFF),
                          "launches fail whatever the offering, and are tried ever more seldom"},
    ROW(NODE_CLASS_NOT_FOUND) = {"NodeClassNotFound", OF(NODE_CLASS_READY),
                                 "the node class does not exist"},
    ROW(NODE_CLASS_READINESS_UNKNOWN) = {"NodeClassReadinessUnknown", OF(NODE_CLASS_READY),
                                         "the node class does not say whether it is Ready"},
    ROW(NODE_CLASS_TERMINATING) = {"NodeClassTerminating", OF(NODE_CLASS_READY),
                                   "the node class is being deleted"},
    ROW(NODE_POOL_VALIDATION_FAILED) = {"NodePoolValidationFailed", OF(VALIDATION_SUCCEEDED),
                                        "the message names the field and what is wrong with it"},
    ROW(REGISTRATION_FAILED) = {"RegistrationFailed", OF(NODE_REGISTRATION_HEALTHY),
                                "machines were launched and did not join the cluster in time"},
    ROW(BUFFER_EMPTY) = {"BufferEmpty", OF(PROVISIONING), "the buffer stands for no pods"},
    ROW(FITS_EXISTING_CAPACITY) = {"FitsExistingCapacity", OF(PROVISIONING),
                                   "all pods of the buffer fit on nodes that are there"},
    ROW(NOT_READY_FOR_PROVISIONING) = {"NotReadyForProvisioning", OF(PROVISIONING),
                                       "the condition ReadyForProvisioning is False"},
    ROW(POD_TEMPLATE_NOT_FOUND) = {"PodTemplateNotFound", OF(READY_FOR_PROVISIONING),
                                   "the PodTemplate that the buffer names does not exist"},
    ROW(REQUIRES_NEW_CAPACITY) =
        {"RequiresNewCapacity", OF(PROVISIONING),
         "pods of the buffer need nodes that are not there yet; the message has their number"},
    ROW(RESOLUTION_FAILED) = {"ResolutionFailed", OF(READY_FOR_PROVISIONING),
                              "the buffer's pods are not known; the message says why"},
    ROW(RESOLVED) = {"Resolved", OF(READY_FOR_PROVISIONING),
                     "the buffer's pods and their number are known"},
    ROW(SCALABLE_REF_NOT_FOUND) = {"ScalableRefNotFound", OF(READY_FOR_PROVISIONING),
                                   "the workload that the buffer names does not exist"},
};
static_assert(sizeof rows / sizeof *rows == CONDITION_REASONS_COUNT, "every one has a row");

const struct condition_reason_row *condition_reason_row(enum condition_reason reason)
{
    assert(reason < CONDITION_REASONS_COUNT);
    return &rows[reason];
}

const char *condition_reason_name(enum condition_reason reason)
{
    return condition_reason_row(reason)->name;
}

bool condition_reason_is_of(enum condition_reason reason, enum condition_type type)
{
    assert(type < CONDITION_TYPES_COUNT);
    return (condition_reason_row(reason)->types & UINT64_C(1) << type) != 0;
}
