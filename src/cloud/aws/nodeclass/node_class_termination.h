// Deletion of EC2NodeClasses (AWN-90 to 93): profiles and launch templates go before the finalizer.
#pragma once

#include "cloud/aws/nodeclass/class_pass.h"

// One pass of the status reconciler over a NodeClass with a deletion timestamp.
struct reconcile_result node_class_terminate(struct node_class_controllers *controllers,
                                             struct work_item *item,
                                             const struct ec2_node_class *node_class,
                                             struct error *error);
