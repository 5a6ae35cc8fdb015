// The controller zonalshift (AWI-650 to 654, 942, 943): refreshes the state of zonal shifts every
// 30 s and tells NodePools of changes. Only with the setting ENABLE_ZONAL_SHIFT.
#pragma once

#include "cloud/aws/controllers/aws_controllers_environment.h"

struct zonal_shift_controller;
// NULL: zonal shift is off.
struct zonal_shift_controller *zonal_shift_controller_create(
    struct manager *manager, const struct aws_controllers_environment *environment);
void zonal_shift_controller_destroy(struct zonal_shift_controller *controller); // NULL is fine
