// The instance types of a NodeClass without a cluster: the facts and list prices of data/ec2/,
// resolved as in a running controller (ec2_types.h), with spot prices of the lists.
#pragma once

#include "cloud/port/provider.h"

// For a provider's row (class_catalog). Zones are those of status.subnets, else those that the
// NodePools name, else the first three of the region.
const struct instance_type_catalog *ec2_class_catalog(const struct class_catalog_request *request,
                                                      struct text *unknown, struct error *error);
// Likewise (class_taken): Windows Server 2022 where the NodePool requires Windows, else AL2023.
const char *ec2_class_taken(const struct node_pool *pool, const struct object **node_class);
