// The instance types of one NodeClass: resolved once for what they depend on (AWI-12), offered anew
// when prices, shortages, reservations or zonal shifts change.
#pragma once

#include "cloud/aws/types/resolving.h"
#include "model/schema/ec2_node_class.h"

struct resolved_types; // ends before the infos and zones
struct resolved_types *resolved_types_create(const struct resolving *resolving,
                                             const struct ec2_node_class *node_class,
                                             struct error *error);
void resolved_types_destroy(struct resolved_types *resolved); // NULL is fine
// Whether they are still right for the NodeClass.
bool resolved_types_are_of(const struct resolved_types *resolved, const struct resolving *resolving,
                           const struct ec2_node_class *node_class);
// The present catalogue: a reference that the caller releases.
const struct instance_type_catalog *resolved_types_catalogue(struct resolved_types *resolved,
                                                             const struct resolving *resolving);
// When they were last asked for.
void resolved_types_use(struct resolved_types *resolved, uint64_t at);
uint64_t resolved_types_used(const struct resolved_types *resolved);
