// CustomResourceDefinitions made from the tables (API-2 to 4): schema, rules, printer columns,
// subresources, names.
#pragma once

#include "model/schema/type.h"

struct crd_options {
    bool core; // leave out the AWS provider's rules (API-47)
};

// The definition of a custom kind (kind->custom); the caller owns it.
json_t *crd_encode(const struct kind *kind, const struct crd_options *options);
