// Findings about a NodePool that need the provider: zones, regions, instance types and families in
// its requirements and labels that do not exist anywhere (GUI-13).
#pragma once

#include "model/schema/karpenter.h"
#include "model/validate/findings.h"

// For the provider's row (check_pool).
void ec2_pool_findings(const struct node_pool *pool, struct findings *findings);
