// A catalogue of instance types as one compact block: texts are kept once, and equal lists of
// requirements that the source shares stay shared. object_copy() would write them out for each
// offering.
#pragma once

#include "model/schema/karpenter.h"

// Keys, operators, names of resources and the catalogue's own name must outlive the process'
// catalogues (constants); other texts are copied. Without overrides of offerings. One reference.
struct instance_type_catalog *catalogue_pack(const struct instance_type_catalog *source);
// A copy of a packed catalogue, to be changed in place before it is shown. One reference.
struct instance_type_catalog *catalogue_clone(const struct instance_type_catalog *packed);
