// Validation: custom kinds by the tables of model/ (which also give the stored form), built-in
// kinds by the rules whose violation a client of the autoscaler's could meet.
#pragma once

#include "sim/store/store_internal.h"

// kinds by the few rules that matter. `old` NULL on creation.
bool validation_apply(struct store *store, const struct store_resource *resource, json_t **object,
                      const json_t *old, const char *subresource, bool lenient, json_t *warnings,
                      struct failure *failure);
