// All that the instance types of every NodeClass of the region depend on.
#pragma once

#include "cloud/aws/types/ec2_types_options.h"
#include "cloud/aws/types/instance_infos.h"
#include "cloud/aws/types/learned_memory.h"
#include "cloud/aws/types/type_zones.h"

struct resolving { // what all NodeClasses share; borrowed
    const struct ec2_types_options *options;
    const char *region;
    const struct instance_infos *infos;
    const struct type_zones *zones;
    const struct learned_memory *learned;
    uint64_t generation; // of infos, zones and learned memory
};
