#include "cloud/aws/types/type_terms.h"

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
