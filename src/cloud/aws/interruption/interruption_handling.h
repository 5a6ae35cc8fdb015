// Handling of an interrupted instance (AWI-550 to 571, 953, 957, 960): events, offerings marked
// unavailable, a deadline, and the deletion of its NodeClaims. Shared by the queue and the polls.
#pragma once

#include "cloud/aws/interruption/instance_index.h"
#include "cloud/aws/interruption/interruption_environment.h"
#include "cloud/aws/interruption/interruption_kinds.h"
#include "cloud/aws/interruption/interruption_metrics.h"
#include "cloud/aws/interruption/planned_ends.h"
#include "reconcile/manager.h"
#include "reconcile/operations.h"

#define CLAIMS_OF_INSTANCE_MAX 16

struct interruption_handler {
    struct manager *manager;
    const struct interruption_environment *environment;
    struct instance_index *index;
    struct planned_ends *ends;
    struct interruption_metrics *metrics;
};

struct interruption_notice {
    enum interruption_kind kind;
    const char *instance_id;
    int64_t time; // of the event; 0: unknown
    bool first;   // this notice has not been handled before: offerings are marked
};
// Starts the next operations for the instance's NodeClaims, on the item and manager of `about`.
// Called again when they have ended, until it returns 0: the notice is handled.
uint32_t interruption_handle(const struct interruption_handler *handler,
                             const struct operation_about *about,
                             const struct interruption_notice *notice);
