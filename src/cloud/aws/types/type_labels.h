// The requirements of an instance type: its labels (AWI-40 to 74, 168).
#pragma once

#include "base/text.h"
#include "cloud/aws/types/type_terms.h"

#define TYPE_LABEL_PREFIX "karpenter.k8s.aws/"

// `zones`: of the type and of the NodeClass. In arena memory; the texts of `info` are borrowed.
requirement_list type_labels(const struct instance_info *info, uint64_t zones,
                             const struct type_terms *terms, struct arena *arena);
// Whether the reservation is one of the type's.
static inline bool reservation_is_of(const struct ec2_capacity_reservation *reservation,
                                     const struct instance_info *info)
{
    return text_equal(reservation->instance_type, info->name);
}
