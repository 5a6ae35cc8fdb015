#include "cloud/aws/interruption/interruption_kinds.h"

#include <assert.h>

#define UNHEALTHY "An unhealthy warning was triggered for the instance"

static const struct interruption_row rows[] = {
    [INTERRUPTION_NO_OP] = {"no_op"}, // without event
    [INTERRUPTION_SPOT_INTERRUPTED] = {"spot_interrupted", EVENT_SPOT_INTERRUPTED,
                                       "Spot interruption warning was triggered",
                                       INTERRUPTION_DRAIN, true},
    [INTERRUPTION_REBALANCE_RECOMMENDATION] = {"rebalance_recommendation",
                                               EVENT_SPOT_REBALANCE_RECOMMENDATION,
                                               "Spot rebalance recommendation was triggered",
                                               INTERRUPTION_NOTHING, false},
    [INTERRUPTION_INSTANCE_STOPPED] = {"instance_stopped", EVENT_INSTANCE_STOPPING,
                                       "Instance is stopping", INTERRUPTION_DRAIN, false},
    [INTERRUPTION_INSTANCE_TERMINATED] = {"instance_terminated", EVENT_INSTANCE_TERMINATING,
                                          "Instance is terminating", INTERRUPTION_DRAIN, false},
    [INTERRUPTION_SCHEDULED_CHANGE] = {"scheduled_change", EVENT_INSTANCE_UNHEALTHY, UNHEALTHY,
                                       INTERRUPTION_DRAIN, false},
    [INTERRUPTION_CAPACITY_RESERVATION_INTERRUPTED] =
        {"capacity_reservation_interrupted", EVENT_CAPACITY_RESERVATION_INSTANCE_INTERRUPTED,
         "Capacity Reservation interruption warning was triggered", INTERRUPTION_DRAIN, true},
    [INTERRUPTION_EVENT_STATUS] = {"event_status", EVENT_INSTANCE_UNHEALTHY, UNHEALTHY,
                                   INTERRUPTION_DRAIN, false},
    [INTERRUPTION_INSTANCE_STATUS] = {"instance_status", EVENT_INSTANCE_UNHEALTHY, UNHEALTHY,
                                      INTERRUPTION_FORCE, false},
    [INTERRUPTION_SYSTEM_STATUS] = {"system_status", EVENT_INSTANCE_UNHEALTHY, UNHEALTHY,
                                    INTERRUPTION_FORCE, false},
};
static_assert(sizeof rows / sizeof *rows == INTERRUPTION_KIND_COUNT, "every kind has a row");

const struct interruption_row *interruption_row(enum interruption_kind kind)
{
    assert(kind < INTERRUPTION_KIND_COUNT);
    return &rows[kind];
}
