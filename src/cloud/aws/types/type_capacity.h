// Capacity and overhead of an instance type (AWI-90 to 115).
#pragma once

#include "cloud/aws/types/type_terms.h"

// AWI-92: memory in bytes.
int64_t type_memory_bytes(int64_t stated_mib, bool arm64, double overhead_fraction);
// AWI-111: kube-reserved cpu in millicores for a node of `cpu_millicores`.
int64_t type_kube_reserved_cpu(int64_t cpu_millicores);
// Fills capacity and overhead. The error is that of a kubelet expression.
bool type_capacity_fill(const struct instance_info *info, const struct type_terms *terms,
                        struct arena *arena, struct instance_type *type,
                        struct error *error) MUST_USE;
