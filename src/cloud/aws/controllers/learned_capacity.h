// Memory that registered Nodes report, learned for their instance type and image (AWI-20 to 25),
// and kept across restarts in the ConfigMap adze-learned-capacity of the controller's namespace
// (AWI-906).
#pragma once

#include "cloud/aws/controllers/aws_controllers_environment.h"

#define LEARNED_CAPACITY_NAME "adze-learned-capacity"

struct learned_capacity;
struct learned_capacity *learned_capacity_create(
    struct manager *manager, const struct aws_controllers_environment *environment);
void learned_capacity_destroy(struct learned_capacity *capacity); // NULL is fine
