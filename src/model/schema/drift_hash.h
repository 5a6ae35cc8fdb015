// Drift hashes of NodePools (API-200 to 207) and EC2NodeClasses (AWN-70 to 77).
//
// Both follow the reflective hash of the upstream controllers, so that their nodes do not drift:
// structs by the name of their type and of their fields, lists and maps without order, zero fields
// left out. Names below are those of upstream's types.
#pragma once

#include "model/schema/ec2_node_class.h"
#include "model/schema/karpenter.h"

// AWN-70 to 77: decimal text of the hash. `ca_bundle` is the cluster's, in base64 (NULL is "").
void ec2_node_class_hash(const struct ec2_node_class *node_class, const char *ca_bundle,
                         char out[24]);
// LIF-200, API-200 to 210: decimal text of the hash of spec.template.
void node_pool_hash(const struct node_pool *pool, char out[24]);
