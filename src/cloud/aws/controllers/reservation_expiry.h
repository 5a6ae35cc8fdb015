// The controller capacityreservation.expiration (AWI-610, 611, 945): NodeClaims in a capacity block
// that ends within 40 minutes are deleted, so that they drain in time.
#pragma once

#include "cloud/aws/controllers/aws_controllers_environment.h"

struct reservation_expiry;
struct reservation_expiry *reservation_expiry_create(
    struct manager *manager, const struct aws_controllers_environment *environment);
void reservation_expiry_destroy(struct reservation_expiry *expiry); // NULL is fine
