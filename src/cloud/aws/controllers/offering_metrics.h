// The controller cloudprovider.metrics (AWI-700 to 702, 720, 962): gauges of instance types and of
// their offerings over all NodePools, replaced at each pass.
#pragma once

#include "cloud/aws/controllers/aws_controllers_environment.h"

struct offering_metrics;
struct offering_metrics *offering_metrics_create(
    struct manager *manager, const struct aws_controllers_environment *environment);
void offering_metrics_destroy(struct offering_metrics *metrics); // NULL is fine
