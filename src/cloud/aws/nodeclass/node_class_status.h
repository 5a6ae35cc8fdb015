// The status of EC2NodeClasses (AWN-30 to 38): finalizer, resolvers, conditions, one patch.
#pragma once

#include "cloud/aws/nodeclass/class_pass.h"

struct reconcile_queue *node_class_status_create(struct node_class_controllers *controllers);
