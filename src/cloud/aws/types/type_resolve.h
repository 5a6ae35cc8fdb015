// An instance type from its facts and terms.
#pragma once

#include "cloud/aws/types/type_terms.h"

// One type resolved: requirements, capacity and overhead in arena memory, without offerings.
// `zones`: those that EC2 offers the type in. The error is that of a kubelet expression.
bool type_resolve(const struct instance_info *info, uint64_t zones, const struct type_terms *terms,
                  struct arena *arena, struct instance_type *type, struct error *error) MUST_USE;
