// Collection of instance profiles that nothing uses (AWN-398, 724).
#pragma once

#include "cloud/aws/nodeclass/class_pass.h"

// Collects profiles that nothing uses, every 30 minutes.
struct reconcile_queue *profile_collection_create(struct node_class_controllers *controllers);
