// The reasons that adze gives for conditions which are not True, or True for more than one reason:
// their names in the API, the conditions that carry them and their meaning. A condition that is
// simply True has its type as the reason; providers and node classes have reasons of their own.
// docs/conditions.md is made from this table.
#pragma once

#include "model/schema/condition_types.h"

enum condition_reason {
    // of several kinds
    CONDITION_REASON_AWAITING_RECONCILIATION,
    CONDITION_REASON_RECONCILING_DEPENDENTS,
    CONDITION_REASON_UNHEALTHY_DEPENDENTS,
    // of NodeClaims
    CONDITION_REASON_AWAITING_VOLUME_DETACHMENT,
    CONDITION_REASON_CONSISTENCY_CHECK_FAILED,
    CONDITION_REASON_DRAINING,
    CONDITION_REASON_INSTANCE_TYPE_NOT_FOUND,
    CONDITION_REASON_KNOWN_EPHEMERAL_TAINTS_EXIST,
    CONDITION_REASON_LAUNCH_FAILED,
    CONDITION_REASON_MULTIPLE_NODES_FOUND,
    CONDITION_REASON_NODE_NOT_FOUND,
    CONDITION_REASON_NODE_NOT_READY,
    CONDITION_REASON_NODE_POOL_DRIFTED,
    CONDITION_REASON_REQUIREMENTS_DRIFTED,
    CONDITION_REASON_RESOURCE_NOT_REGISTERED,
    CONDITION_REASON_STARTUP_TAINTS_EXIST,
    CONDITION_REASON_TERMINATION_GRACE_PERIOD_ELAPSED,
    // of NodePools
    CONDITION_REASON_HARDLY_MEANT,
    CONDITION_REASON_INSUFFICIENT_CAPACITY,
    CONDITION_REASON_LAUNCHES_FAIL,
    CONDITION_REASON_NODE_CLASS_NOT_FOUND,
    CONDITION_REASON_NODE_CLASS_READINESS_UNKNOWN,
    CONDITION_REASON_NODE_CLASS_TERMINATING,
    CONDITION_REASON_NODE_POOL_VALIDATION_FAILED,
    CONDITION_REASON_REGISTRATION_FAILED,
    // of CapacityBuffers
    CONDITION_REASON_BUFFER_EMPTY,
    CONDITION_REASON_FITS_EXISTING_CAPACITY,
    CONDITION_REASON_NOT_READY_FOR_PROVISIONING,
    CONDITION_REASON_POD_TEMPLATE_NOT_FOUND,
    CONDITION_REASON_REQUIRES_NEW_CAPACITY,
    CONDITION_REASON_RESOLUTION_FAILED,
    CONDITION_REASON_RESOLVED,
    CONDITION_REASON_SCALABLE_REF_NOT_FOUND,
    CONDITION_REASONS_COUNT,
};
struct condition_reason_row {
    const char *name; // in the API
    uint64_t types;   // a bit for each enum condition_type that carries it
    const char *meaning;
};
const struct condition_reason_row *condition_reason_row(enum condition_reason reason);
const char *condition_reason_name(enum condition_reason reason); // "NodeNotFound"
bool condition_reason_is_of(enum condition_reason reason, enum condition_type type);
