#include "cloud/aws/types/type_terms.h"

#include <assert.h>

#include "cloud/aws/types/type_capacity.h"
#include "cloud/aws/types/type_labels.h"

#define GIBIBYTE (INT64_C(1) << 30)

void type_terms_defaults(struct type_terms *terms)
{
    *terms = (struct type_terms){
        .memory_overhead_fraction = 0.075,
        .eni_limited_pods = true,
        .eni_limited_memory = true,
        .honours_pods_per_core = true,
        .ephemeral_bytes = 20 * GIBIBYTE,
    };
}

bool type_resolve(const struct instance_info *info, uint64_t zones, const struct type_terms *terms,
                  struct arena *arena, struct instance_type *type, struct error *error)
{
    assert(info->name != NULL);
    *type = (struct instance_type){.name = info->name};
    type->requirements = type_labels(info, zones & terms->class_zones, terms, arena);
    return type_capacity_fill(info, terms, arena, type, error);
}
