// The reconcilers of EC2NodeClasses: status (AWN-30 to 38, 100 to 178, 390 to 398, 420 to 437),
// hash (AWN-70 to 77), termination (AWN-90 to 93), garbage collection of instance profiles
// (AWN-398) and the check of `latest` images (AWN-178).
#pragma once

#include "cloud/aws/nodeclass/node_class_environment.h"

struct node_class_controllers;
struct node_class_controllers *node_class_controllers_create(
    struct manager *manager, const struct node_class_environment *environment);
void node_class_controllers_destroy(struct node_class_controllers *controllers); // NULL is fine
