// Whether the CustomResourceDefinition of a cluster fits: one of another version makes the API
// server drop fields that adze writes or that users set.
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/text.h"
#include "model/schema/object.h"

// Appends what is wrong with the cluster's definition of the kind: it does not serve the version
// that adze reads, or its schema lacks fields (some are named). False: it fits.
bool crd_misfit(const struct kind *kind, const json_t *definition, struct text *out);
