// Instance types of the kwok provider (KWK-1 to 7): a built-in generic catalog, or one from a file.
#pragma once

#include "model/schema/karpenter.h"

#define KWOK_LABEL_SIZE   "karpenter.kwok.sh/instance-size"
#define KWOK_LABEL_FAMILY "karpenter.kwok.sh/instance-family"
#define KWOK_LABEL_CPU    "karpenter.kwok.sh/instance-cpu"
#define KWOK_LABEL_MEMORY "karpenter.kwok.sh/instance-memory"

// KWK-1 to 3: 144 generic types. One reference, owned by the caller.
const struct instance_type_catalog *kwok_catalog_generic(void);

// KWK-4: upstream's JSON list in either of its two forms, or an InstanceTypeCatalog (FMT-6, YAML or
// JSON). An unusable entry is an error with its index and path.
const struct instance_type_catalog *kwok_catalog_read(const char *path,
                                                      struct error *error) MUST_USE;

// Every label key that an offering of the catalog requires, without duplicates, and the four kwok
// labels (KWK-7); NULL-terminated, in arena memory.
const char *const *kwok_catalog_well_known(struct arena *arena,
                                           const struct instance_type_catalog *catalog);
