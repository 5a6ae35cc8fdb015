// Whether the CustomResourceDefinition of a cluster fits: one of another version makes the API
// server drop fields that adze writes or that users set.
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/text.h"
#include "model/schema/object.h"

#define CRD_PATH_SIZE 300

// Appends what is wrong with the cluster's definition of the kind: it is not installed (NULL), it
// does not serve the version that adze reads, or its schema lacks fields (some are named). False:
// it fits.
bool crd_misfit(const struct kind *kind, const json_t *definition, struct text *out);
// The definition's path in the API.
void crd_path(const struct kind *kind, char out[CRD_PATH_SIZE]);
// Appends the command that installs adze's definition in its place.
void crd_remedy(const struct kind *kind, struct text *out);
