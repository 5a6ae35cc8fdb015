// The controller capacityreservation.capacitytype (AWI-600, 601, 940): a NodeClaim whose instance
// runs on demand, although it was launched into a capacity reservation, says so.
#pragma once

#include "cloud/aws/controllers/aws_controllers_environment.h"

struct reservation_demotion;
struct reservation_demotion *reservation_demotion_create(
    struct manager *manager, const struct aws_controllers_environment *environment);
void reservation_demotion_destroy(struct reservation_demotion *demotion); // NULL is fine
