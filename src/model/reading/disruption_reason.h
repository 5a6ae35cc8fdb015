// Enums of disruption reasons, methods, types of consolidation and reasons for cancelling a
// command, with their names in the API, plans, metrics and annotations.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// DIS-3. Budgets, conditions and metrics know the first three; expiring nodes count against the
// budgets of Drifted (DIS-762).
enum disruption_reason {
    DISRUPTION_EMPTY,
    DISRUPTION_DRIFTED,
    DISRUPTION_UNDERUTILIZED,
    DISRUPTION_EXPIRED,
    DISRUPTION_REASONS_COUNT,
};
#define BUDGET_REASONS_COUNT DISRUPTION_EXPIRED                     // reasons valid in a budget
const char *disruption_reason_name(enum disruption_reason reason);  // "Empty"
const char *disruption_reason_label(enum disruption_reason reason); // of metrics: "empty"
bool disruption_reason_parse(const char *name, enum disruption_reason *reason);

// In their order (DIS-11).
enum disruption_method {
    METHOD_ANY, // unspecified: all of them
    METHOD_EMPTINESS,
    METHOD_STATIC_DRIFT,
    METHOD_DRIFT,
    METHOD_EXPIRY,
    METHOD_MULTI,
    METHOD_SINGLE,
    METHODS_COUNT,
};
// A set of requested methods, as bits. Zero: unspecified, all of them.
#define METHOD_BIT(method)    (UINT32_C(1) << (method))
#define METHODS_ALL           (METHOD_BIT(METHODS_COUNT) - METHOD_BIT(METHOD_EMPTINESS))
#define METHODS_BUT_EMPTINESS (METHODS_ALL & ~METHOD_BIT(METHOD_EMPTINESS))
// For nodes that are due to go, drifted or expiring, whatever that saves.
#define METHODS_OF_DUE_NODES \
    (METHOD_BIT(METHOD_STATIC_DRIFT) | METHOD_BIT(METHOD_DRIFT) | METHOD_BIT(METHOD_EXPIRY))
uint32_t disruption_methods_of(enum disruption_method method);     // METHOD_ANY: all of them
const char *disruption_method_name(enum disruption_method method); // "static-drift"; "any"
bool disruption_method_parse(const char *name, enum disruption_method *method);

enum consolidation_type {
    CONSOLIDATION_NONE, // the command is from drift or expiry
    CONSOLIDATION_EMPTY,
    CONSOLIDATION_MULTI,
    CONSOLIDATION_SINGLE,
    CONSOLIDATION_TYPES_COUNT,
};
const char *consolidation_type_name(enum consolidation_type type);  // "multi"; "none"
const char *consolidation_type_label(enum consolidation_type type); // of metrics: "multi"; ""
bool consolidation_type_parse(const char *name, enum consolidation_type *type);

// The reason for cancelling a command (DIS-263).
enum cancel_kind {
    CANCEL_NONE,       // it is valid
    CANCEL_CHURN,      // a node is no longer a candidate
    CANCEL_BUDGET,     // a budget of the NodePool or a PodDisruptionBudget
    CANCEL_SCHEDULING, // its pods would go to other places than planned (DIS-267)
    CANCEL_UNKNOWN,    // the cluster could not be evaluated
    CANCEL_KINDS_COUNT,
};
const char *cancel_kind_name(enum cancel_kind kind); // "churn"; "none"
bool cancel_kind_parse(const char *name, enum cancel_kind *kind);
