// Interruptions: messages of the queue (AWI-500 to 571) and instance status checks (AWI-580 to
// 587), as reconcilers of the provider.
#pragma once

#include "cloud/aws/client/aws_client.h"
#include "cloud/aws/types/reservation_counts.h"
#include "cloud/aws/types/unavailable_offerings.h"
#include "reconcile/manager.h"

struct interruption;
struct interruption_environment { // borrowed
    struct aws_client *client;
    struct unavailable_offerings *unavailable;
    struct reservation_counts *reservations;
};
struct interruption *interruption_create(struct manager *manager,
                                         const struct interruption_environment *environment);
void interruption_destroy(struct interruption *interruption); // NULL is fine
