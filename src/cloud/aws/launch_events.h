// Events about launches. `manager` NULL: the cloud is used without a controller, and nothing is
// told.
#pragma once

#include "model/schema/karpenter.h"
#include "reconcile/manager.h"

// AWI-16, AWI-250: the NodeClass of a NodePool or a NodeClaim; told once for each object.
void tell_failed_node_class(struct manager *manager, const struct object *about);
void tell_spot_role_missing(struct manager *manager, const struct node_claim *claim); // AWI-334
// AWI-932, on the NodePool.
void tell_few_spot_pools(struct manager *manager, const struct node_claim *claim, uint32_t pools);
