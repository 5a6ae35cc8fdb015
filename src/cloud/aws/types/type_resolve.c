#include "cloud/aws/types/type_resolve.h"

#include <assert.h>

#include "cloud/aws/types/burst_baselines.h"
#include "cloud/aws/types/type_capacity.h"
#include "cloud/aws/types/type_labels.h"

bool type_resolve(const struct instance_info *info, uint64_t zones, const struct type_terms *terms,
                  struct arena *arena, struct instance_type *type, struct error *error)
{
    assert(info->name != NULL);
    *type = (struct instance_type){.name = info->name,
                                   .volume_price = terms->volume_price,
                                   .public_address = terms->public_address,
                                   .burst = burst_of_type(info->name, terms->windows)};
    type->requirements = type_labels(info, zones & terms->class_zones, terms, arena);
    return type_capacity_fill(info, terms, arena, type, error);
}
