#include "model/schema/condition_types.h"

#include <assert.h>

#include "base/text.h"

#define CLAIM        KIND_BIT(KIND_NODE_CLAIM)
#define POOL         KIND_BIT(KIND_NODE_POOL)
#define OVERLAY      KIND_BIT(KIND_NODE_OVERLAY)
#define BUFFER       KIND_BIT(KIND_CAPACITY_BUFFER)
#define EC2          KIND_BIT(KIND_EC2_NODE_CLASS)
#define NODE_CLASSES (KIND_BIT(KIND_EC2_NODE_CLASS) | KIND_BIT(KIND_KWOK_NODE_CLASS))

static const struct condition_row rows[] = {
    [CONDITION_READY] = {"Ready",
                         CLAIM | POOL | OVERLAY | NODE_CLASSES | KIND_BIT(KIND_NODE) |
                             KIND_BIT(KIND_POD),
                         "sums up the conditions that it depends on: Launched, Registered and "
                         "Initialized of a NodeClaim, ValidationSucceeded and NodeClassReady of a "
                         "NodePool; nodes come only from a NodePool that is Ready",
                         "LIF-10"},
    [CONDITION_LAUNCHED] = {"Launched", CLAIM,
                            "the provider has created the machine; Unknown with the error of the "
                            "last try until then",
                            "LIF-30"},
    [CONDITION_REGISTERED] = {"Registered", CLAIM,
                              "the machine's Node has joined the cluster and was taken over",
                              "LIF-48"},
    [CONDITION_INITIALIZED] = {"Initialized", CLAIM,
                               "the Node is Ready, its startup taints are gone and its resources "
                               "are there; else Unknown, and the reason says what is missing",
                               "LIF-66"},
    [CONDITION_CONSISTENT_STATE_FOUND] =
        {"ConsistentStateFound", CLAIM,
         "the Node has the capacity that was expected of its instance type", "LIF-180"},
    [CONDITION_CONSOLIDATABLE] = {"Consolidatable", CLAIM,
                                  "consolidateAfter has passed without a pod that came or went",
                                  "DIS-86"},
    [CONDITION_DRIFTED] = {"Drifted", CLAIM,
                           "the NodePool or the node class says something else by now, or the "
                           "provider would create another machine; the reason says which",
                           "DIS-79"},
    [CONDITION_DISRUPTION_REASON] = {"DisruptionReason", CLAIM,
                                     "a disruption is under way, and why: Empty, Drifted or "
                                     "Underutilized",
                                     "DIS-13"},
    [CONDITION_DRAINED] = {"Drained", CLAIM, "no pod has to leave the Node any more", "LIF-111"},
    [CONDITION_VOLUMES_DETACHED] = {"VolumesDetached", CLAIM,
                                    "no volume of a pod that left is attached any more; False "
                                    "where the grace period ended first",
                                    "LIF-131"},
    [CONDITION_INSTANCE_TERMINATING] = {"InstanceTerminating", CLAIM,
                                        "the provider was asked to delete the machine", "LIF-83"},
    [CONDITION_VALIDATION_SUCCEEDED] = {"ValidationSucceeded", POOL | OVERLAY | EC2,
                                        "the specification is sound where the API server cannot "
                                        "check it",
                                        "LIF-10"},
    [CONDITION_NODE_CLASS_READY] = {"NodeClassReady", POOL,
                                    "the node class is there, not being deleted, and Ready",
                                    "LIF-10"},
    [CONDITION_NODE_REGISTRATION_HEALTHY] = {"NodeRegistrationHealthy", POOL,
                                             "whether the last machines have become nodes",
                                             "LIF-221"},
    [CONDITION_BUDGETS_QUESTIONABLE] = {"BudgetsQuestionable", POOL,
                                        "a disruption budget is hardly meant as it is written; "
                                        "the message names the field",
                                        "DIS-777"},
    [CONDITION_LAUNCH_BACK_OFF] = {"LaunchBackOff", POOL,
                                   "launches have failed, and nothing, or nothing of the named "
                                   "offerings, is launched for a while",
                                   "LIF-440"},
    [CONDITION_READY_FOR_PROVISIONING] = {"ReadyForProvisioning", BUFFER,
                                          "the pods that the buffer stands for are known",
                                          "LIF-242"},
    [CONDITION_PROVISIONING] = {"Provisioning", BUFFER,
                                "all pods of the buffer fit on nodes that are there", "LIF-246"},
    [CONDITION_AMIS_READY] = {"AMIsReady", EC2,
                              "the AMIs of spec.amiSelectorTerms are known and in the status",
                              "AWN-34"},
    [CONDITION_CAPACITY_RESERVATIONS_READY] =
        {"CapacityReservationsReady", EC2,
         "the capacity reservations of the selector are known and in the status", "AWN-34"},
    [CONDITION_INSTANCE_PROFILE_READY] =
        {"InstanceProfileReady", EC2, "the instance profile exists and has the role of spec.role",
         "AWN-34"},
    [CONDITION_PLACEMENT_GROUP_READY] = {"PlacementGroupReady", EC2,
                                         "the placement group is known, or none is asked for",
                                         "AWN-34"},
    [CONDITION_SECURITY_GROUPS_READY] =
        {"SecurityGroupsReady", EC2,
         "the security groups of the selector are known and in the status", "AWN-34"},
    [CONDITION_SUBNETS_READY] = {"SubnetsReady", EC2,
                                 "the subnets of the selector are known and in the status",
                                 "AWN-34"},
    [CONDITION_POD_SCHEDULED] = {"PodScheduled", KIND_BIT(KIND_POD),
                                 "kube-scheduler's: False with the reason Unschedulable makes a "
                                 "pod one to provision for",
                                 "SCH-21"},
    [CONDITION_POD_RESIZE_PENDING] =
        {"PodResizePending", KIND_BIT(KIND_POD),
         "the kubelet's: with the reason Infeasible the requests that were asked for do not count",
         "SCH-110"},
    [CONDITION_REPLICA_FAILURE] =
        {"ReplicaFailure",
         KIND_BIT(KIND_REPLICA_SET) | KIND_BIT(KIND_REPLICATION_CONTROLLER) |
             KIND_BIT(KIND_DEPLOYMENT),
         "the workload's controller cannot create its pods, so that none are waited for",
         "SCH-527"},
};
static_assert(sizeof rows / sizeof *rows == CONDITION_TYPES_COUNT, "every one has a row");

const struct condition_row *condition_row(enum condition_type type)
{
    assert(type < CONDITION_TYPES_COUNT);
    return &rows[type];
}

const char *condition_name(enum condition_type type)
{
    return condition_row(type)->name;
}

bool condition_is_of(enum condition_type type, enum kind_id kind)
{
    assert(kind < KIND_COUNT);
    return (condition_row(type)->kinds & KIND_BIT(kind)) != 0;
}

const struct condition *condition_find_named(const condition_list *list, const char *name)
{
    list_for_each (condition, list)
        if (text_equal(condition->type, name))
            return condition;
    return NULL;
}

const struct condition *condition_find(const condition_list *list, enum condition_type type)
{
    return condition_find_named(list, condition_name(type));
}

bool condition_is_true(const condition_list *list, enum condition_type type)
{
    const struct condition *condition = condition_find(list, type);
    return condition != NULL && text_equal(condition->status, "True");
}
