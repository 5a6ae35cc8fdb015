// Strategic merge patch. Its lists and their merge keys are properties of the API types
// (patchStrategy and patchMergeKey of their fields); a field's name with its parent identifies
// them.
#pragma once

#include <jansson.h>

#include "sim/store/failure.h"

json_t *patch_strategic(const json_t *object, const json_t *patch, struct failure *failure);
// The merge key of a list's elements; "" for a set of plain values; NULL: the list is replaced as a
// whole. `parent` is the field of the object that contains the list ("containers", "spec", ...).
const char *patch_list_key(const char *parent, const char *field);
