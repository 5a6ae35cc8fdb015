#include "model/schema/condition_reasons.h"

#include <assert.h>

#define OF(name)  (UINT64_C(1) << CONDITION_##name)
#define ROW(name) [CONDITION_REASON_##name]
#define DEPENDENTS                                                                            \
    (OF(READY) | OF(LAUNCHED) | OF(REGISTERED) | OF(INITIALIZED) | OF(VALIDATION_SUCCEEDED) | \
     OF(NODE_CLASS_READY) | OF(AMIS_READY) | OF(CAPACITY_RESERVATIONS_READY) |                \
     OF(INSTANCE_PROFILE_READY) | OF(PLACEMENT_GROUP_READY) | OF(SECURITY_GROUPS_READY) |     \
     OF(SUBNETS_READY))
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
    ROW(DRA_DRIVER_POOLS_NOT_PUBLISHED) =
        {"DRADriverPoolsNotPublished", OF(INITIALIZED),
         "a driver of devices that pods claim has not published all of them; the message names it"},
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
    ROW(AMI_NOT_FOUND) = {"AMINotFound", OF(AMIS_READY), "no AMI matches spec.amiSelectorTerms"},
    ROW(CLUSTER_CIDR_RESOLUTION_FAILED) =
        {"ClusterCIDRResolutionFailed", OF(VALIDATION_SUCCEEDED),
         "the cluster's range of Service addresses cannot be looked up"},
    ROW(CREATE_FLEET_AUTH_CHECK_FAILED) = {"CreateFleetAuthCheckFailed", OF(VALIDATION_SUCCEEDED),
                                           "adze's role may not call ec2:CreateFleet"},
    ROW(CREATE_LAUNCH_TEMPLATE_AUTH_CHECK_FAILED) = {"CreateLaunchTemplateAuthCheckFailed",
                                                     OF(VALIDATION_SUCCEEDED),
                                                     "adze's role may not create launch templates"},
    ROW(DEPENDENCIES_NOT_READY) =
        {"DependenciesNotReady", OF(VALIDATION_SUCCEEDED),
         "another condition that validation needs is not True; the message names it"},
    ROW(INSTANCE_PROFILE_NOT_FOUND) = {"InstanceProfileNotFound", OF(VALIDATION_SUCCEEDED),
                                       "EC2 does not know the profile of spec.instanceProfile"},
    ROW(INVALID_BLOCK_DEVICE_MAPPINGS) =
        {"InvalidBlockDeviceMappings", OF(VALIDATION_SUCCEEDED),
         "a block device mapping is incomplete; the message names it"},
    ROW(INVALID_KUBELET_CONFIGURATION) = {"InvalidKubeletConfiguration", OF(VALIDATION_SUCCEEDED),
                                          "spec.kubelet is wrong; the message names the field"},
    ROW(KUBELET_EXPRESSION_EVALUATION_FAILED) =
        {"KubeletExpressionEvaluationFailed", OF(VALIDATION_SUCCEEDED),
         "an expression of spec.kubelet has no valid value for an instance type"},
    ROW(KUBELET_EXPRESSION_INVALID) = {"KubeletExpressionInvalid", OF(VALIDATION_SUCCEEDED),
                                       "an expression of spec.kubelet does not compile"},
    ROW(KUBELET_EXPRESSIONS_DISABLED) =
        {"KubeletExpressionsDisabled", OF(VALIDATION_SUCCEEDED),
         "spec.kubelet has an expression, and the gate NodeClassCEL is off"},
    ROW(PLACEMENT_GROUP_NOT_FOUND) = {"PlacementGroupNotFound", OF(PLACEMENT_GROUP_READY),
                                      "no such placement group exists"},
    ROW(PLACEMENT_GROUP_RESOLUTION_FAILED) =
        {"PlacementGroupResolutionFailed", OF(PLACEMENT_GROUP_READY),
         "AWS could not be asked for the placement group; the message says why"},
    ROW(ROLE_NOT_FOUND) = {"RoleNotFound", OF(INSTANCE_PROFILE_READY),
                           "the IAM role of spec.role does not exist"},
    ROW(RUN_INSTANCES_AUTH_CHECK_FAILED) =
        {"RunInstancesAuthCheckFailed", OF(VALIDATION_SUCCEEDED),
         "adze's role may not call ec2:RunInstances, or not pass the nodes' role"},
    ROW(SECURITY_GROUPS_NOT_FOUND) = {"SecurityGroupsNotFound", OF(SECURITY_GROUPS_READY),
                                      "no security group matches the selector"},
    ROW(SUBNETS_NOT_FOUND) = {"SubnetsNotFound", OF(SUBNETS_READY),
                              "no subnet matches the selector"},
    ROW(TAG_VALIDATION_FAILED) = {"TagValidationFailed", OF(VALIDATION_SUCCEEDED),
                                  "spec.tags has keys that are reserved, or more than EC2 allows"},
    ROW(UNSUPPORTED_ALIAS) = {"UnsupportedAlias", OF(AMIS_READY),
                              "there are no such images for the cluster's version"},
    ROW(UNSUPPORTED_KUBELET_CONFIGURATION) =
        {"UnsupportedKubeletConfiguration", OF(VALIDATION_SUCCEEDED),
         "the AMI family cannot apply a field of spec.kubelet; the message names it"},
    ROW(USER_DATA_SIZE_LIMIT_EXCEEDED) = {"UserDataSizeLimitExceeded", OF(VALIDATION_SUCCEEDED),
                                          "the rendered user data is larger than EC2 allows"},
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
