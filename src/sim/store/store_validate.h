// Validation: custom kinds by the tables of model/ (which also give the stored form), built-in
// kinds by the rules that a client of the autoscaler could violate.
#pragma once

#include "sim/store/store_draft.h"
#include "sim/store/store_internal.h"

bool validation_apply(struct store *store, const struct store_resource *resource,
                      struct store_draft *draft, struct failure *failure);
