// The provider's reconcilers beside those of EC2NodeClasses and of the queue: tagging of instances
// (AWN-465), partition labels (AWN-153), demotion and expiry of reservations (AWI-600 to 611),
// zonal shifts (AWI-650 to 654), learned capacity (AWI-20 to 25), refreshes of types and prices
// (AWI-3, 208), metrics of types and offerings (AWI-700 to 702, 720).
#pragma once

#include "cloud/aws/controllers/aws_controllers_environment.h"

struct aws_controllers;
struct aws_controllers *aws_controllers_create(
    struct manager *manager, const struct aws_controllers_environment *environment);
void aws_controllers_destroy(struct aws_controllers *controllers); // NULL is fine
