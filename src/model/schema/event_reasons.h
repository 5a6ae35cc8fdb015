// adze's events: reasons in the API, involved kinds, rates, meanings and rules. docs/events.md is
// made from this table.
#pragma once

#include <stdbool.h>

#include "model/schema/object.h"

enum event_reason {
    EVENT_AWAITING_VOLUME_DETACHMENT,
    EVENT_CAPACITY_RESERVATION_INSTANCE_INTERRUPTED,
    EVENT_CONDITION_TRANSITIONED, // the condition's type is its reason
    EVENT_CONSOLIDATION_APPROVED,
    EVENT_CONSOLIDATION_CANDIDATE,
    EVENT_CONSOLIDATION_DELAYED,
    EVENT_CONSOLIDATION_LOOP,
    EVENT_CONSOLIDATION_REJECTED,
    EVENT_DAEMON_SET_REQUESTS_MISMATCH,
    EVENT_DISRUPTED,
    EVENT_DISRUPTION_BLOCKED,
    EVENT_DISRUPTION_BLOCKED_POOL, // or by a budget
    EVENT_DISRUPTION_LAUNCHING,
    EVENT_DISRUPTION_SETTLED,
    EVENT_DISRUPTION_TERMINATING,
    EVENT_DISRUPTION_WAITING_READINESS,
    EVENT_DO_NOT_DISRUPT_GRACE_PERIOD_ELAPSED,
    EVENT_DO_NOT_DISRUPT_UNTIL,
    EVENT_EVICTED,
    EVENT_FAILED_CONSISTENCY_CHECK,
    EVENT_FAILED_DRAINING,
    EVENT_FAILED_SCHEDULING,
    EVENT_FINALIZED,
    EVENT_INITIALIZATION_BLOCKED,
    EVENT_INSTANCE_STOPPING,
    EVENT_INSTANCE_TERMINATING,
    EVENT_INSTANCE_UNHEALTHY,
    EVENT_INSUFFICIENT_CAPACITY_ERROR,
    EVENT_INVALID_ANNOTATION,
    EVENT_INVALID_DO_NOT_DISRUPT_ANNOTATION,
    EVENT_LAUNCH_BACK_OFF,
    EVENT_NO_COMPATIBLE_INSTANCE_TYPES,
    EVENT_NODE_CLASS_NOT_FOUND,
    EVENT_NODE_CLASS_NOT_READY,
    EVENT_NODE_REPAIR_BLOCKED,
    EVENT_NOMINATED,
    EVENT_SPOT_INTERRUPTED,
    EVENT_SPOT_REBALANCE_RECOMMENDATION,
    EVENT_SPOT_ROLE_MISSING,
    EVENT_TERMINATING_ON_INTERRUPTION,
    EVENT_TERMINATION_GRACE_PERIOD_EXPIRING,
    EVENT_UNCONSOLIDATABLE,
    EVENT_UNREADABLE,
    EVENT_UNREADABLE_SELECTOR,
    EVENT_UNREGISTERED_TAINT_MISSING,
    EVENT_USER_DATA_UNUSED,
    EVENT_WAITING_ON_NODE_CLAIM_TERMINATION,
    EVENT_WAVE_PLACED,
    EVENT_ZONAL_SHIFT_ACTIVE,
    EVENT_ZONAL_SHIFT_CLEARED,
    EVENT_ZONAL_SHIFT_UNAVAILABLE,
    EVENT_REASONS_COUNT,
};
enum event_type { EVENT_NORMAL, EVENT_WARNING };
struct event_row {
    const char *name; // the reason in the API; NULL: the type of a condition
    enum event_type type;
    uint64_t kinds;    // KIND_BIT() of each that it is published on
    int64_t window_ns; // window in which the same event is published once
    const char *meaning, *rule;
    double rate, burst; // events of one name a second, and in a burst; 0: unlimited
};
const struct event_row *event_row(enum event_reason reason);
const char *event_name(enum event_reason reason); // "Nominated"; not of a condition's
bool event_is_of(enum event_reason reason, enum kind_id kind);
