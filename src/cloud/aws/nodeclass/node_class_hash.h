// The drift hash of EC2NodeClasses and its version (AWN-70, 71).
#pragma once

#include "cloud/aws/nodeclass/class_pass.h"

struct reconcile_queue *node_class_hash_create(struct node_class_controllers *controllers);
