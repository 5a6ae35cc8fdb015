// Instance types of their own for NodePools whose node class is in the input: catalogs that name
// these NodePools (FMT-6), beside the provider's built-in one.
#pragma once

#include "cli/input/region.h"
#include "model/snapshot/snapshot.h"

// `common`: the built-in catalog, for the names. Adds a line for each node class to `text`: its
// NodePools, and facts that are not known here (NULL: not wanted). The types of a node class that
// cannot have any are none.
void class_catalogs_add(struct snapshot *snapshot, const struct cloud_provider *provider,
                        const struct region *region, const struct instance_type_catalog *common,
                        struct text *text);
