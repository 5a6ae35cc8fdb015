// The condition types that adze reads and writes: names in the API, kinds, meanings and rules.
// docs/conditions.md is made from this table.
#pragma once

#include <stdbool.h>

#include "model/schema/object.h"

enum condition_type {
    CONDITION_READY,
    CONDITION_LAUNCHED,
    CONDITION_REGISTERED,
    CONDITION_INITIALIZED,
    CONDITION_CONSISTENT_STATE_FOUND,
    CONDITION_CONSOLIDATABLE,
    CONDITION_DRIFTED,
    CONDITION_DISRUPTION_REASON,
    CONDITION_DRAINED,
    CONDITION_VOLUMES_DETACHED,
    CONDITION_INSTANCE_TERMINATING,
    CONDITION_VALIDATION_SUCCEEDED,
    CONDITION_NODE_CLASS_READY,
    CONDITION_NODE_REGISTRATION_HEALTHY,
    CONDITION_BUDGETS_QUESTIONABLE,
    CONDITION_LAUNCH_BACK_OFF,
    CONDITION_READY_FOR_PROVISIONING,
    CONDITION_PROVISIONING,
    CONDITION_AMIS_READY,
    CONDITION_CAPACITY_RESERVATIONS_READY,
    CONDITION_INSTANCE_PROFILE_READY,
    CONDITION_PLACEMENT_GROUP_READY,
    CONDITION_SECURITY_GROUPS_READY,
    CONDITION_SUBNETS_READY,
    CONDITION_POD_SCHEDULED,
    CONDITION_POD_RESIZE_PENDING,
    CONDITION_REPLICA_FAILURE,
    CONDITION_TYPES_COUNT,
};
struct condition_row {
    const char *name; // in the API
    uint64_t kinds;   // a bit for each enum kind_id that carries it
    const char *meaning, *rule;
};
const struct condition_row *condition_row(enum condition_type type);
const char *condition_name(enum condition_type type); // "Launched"
bool condition_is_of(enum condition_type type, enum kind_id kind);

const struct condition *condition_find(const condition_list *list,
                                       enum condition_type type); // or NULL
bool condition_is_true(const condition_list *list, enum condition_type type);
// For types that others define: those of a Node's agents, or all types of an object.
const struct condition *condition_find_named(const condition_list *list, const char *name);
