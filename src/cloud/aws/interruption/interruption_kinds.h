// Kinds of interruptions: their names in metrics, their events (AWI-570), their actions (AWI-551).
#pragma once

#include <stdbool.h>

#include "model/schema/event_reasons.h"

enum interruption_kind {
    INTERRUPTION_NO_OP,
    INTERRUPTION_SPOT_INTERRUPTED,
    INTERRUPTION_REBALANCE_RECOMMENDATION,
    INTERRUPTION_INSTANCE_STOPPED,
    INTERRUPTION_INSTANCE_TERMINATED,
    INTERRUPTION_SCHEDULED_CHANGE,
    INTERRUPTION_CAPACITY_RESERVATION_INTERRUPTED,
    INTERRUPTION_EVENT_STATUS,
    INTERRUPTION_INSTANCE_STATUS,
    INTERRUPTION_SYSTEM_STATUS,
    INTERRUPTION_KIND_COUNT
};
enum interruption_action {
    INTERRUPTION_NOTHING, // the event alone
    INTERRUPTION_DRAIN,   // "CordonAndDrain": deletes the NodeClaim
    INTERRUPTION_FORCE,   // "ForcefulTermination": deletes it with a deadline of now (AWI-560)
};
struct interruption_row {
    const char *name; // label of metrics: "spot_interrupted"
    enum event_reason reason;
    const char *message;
    enum interruption_action action;
    // AWI-953: EC2 takes the instance back two minutes after the event.
    bool has_deadline;
};
const struct interruption_row *interruption_row(enum interruption_kind kind);
