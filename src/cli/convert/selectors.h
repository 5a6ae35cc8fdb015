// Selector maps of AWSNodeTemplates to lists of terms (MIG-41, MIG-42).
#pragma once

#include "cli/convert/conversion.h"

#define TERMS_MAX 30 // of a class (API section 6)

// Terms for subnets and security groups; takes the reference. NULL, with the source failed.
json_t *selector_terms(struct source *source, const char *path, json_t *map);
// Terms for AMIs; takes the reference. `path`: of the result, for notes.
json_t *ami_terms(struct source *source, struct product *product, json_t *map);
// MIG-42: terms with an id beside other fields lose the others. `terms` is changed in place.
void ami_terms_mend(struct product *product, json_t *terms);
