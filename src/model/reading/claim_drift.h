// Drift of a NodeClaim as far as the objects alone tell it (DIS-74 to DIS-76, AWN-480), for the
// controller that marks NodeClaims and for forecasts of what an edit would mark.
#pragma once

#include "model/schema/condition_reasons.h"
#include "model/schema/karpenter.h"

bool claim_template_drifted(const struct node_claim *claim, const struct node_pool *pool); // DIS-74
// DIS-75: the first requirement that the NodeClaim's labels do not meet, or NULL.
const struct selector_requirement *claim_requirement_drifted(const struct node_claim *claim,
                                                             const requirement_list *requirements);
// Both, in their order: whether its NodePool makes the NodeClaim drift, and by which reason.
bool claim_drifted_from_pool(const struct node_claim *claim, const struct node_pool *pool,
                             enum condition_reason *reason);
// DIS-76: the catalog has the NodeClaim's type, with an offering that fits its machine.
// `well_known`: the provider's labels beside the core's; may be NULL.
bool catalog_has_machine(const struct instance_type_catalog *catalog,
                         const struct node_claim *claim, const char *const *well_known);
// AWN-480: the NodeClaim was made by another state of its EC2NodeClass.
bool claim_node_class_drifted(const struct node_claim *claim, const struct object *node_class);
