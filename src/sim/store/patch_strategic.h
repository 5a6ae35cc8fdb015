// Strategic merge patch. Which lists are merged, and by which key, is a property of the API types
// (patchStrategy and patchMergeKey of their fields); field names with their parents are enough to
// tell.
#pragma once

#include <jansson.h>

#include "sim/store/failure.h"

json_t *patch_strategic(const json_t *object, const json_t *patch, struct failure *failure);
// How a list is merged: the key of its elements; "" for a set of plain values; NULL: replaced
// whole. `parent` is the field that holds the object in which the list is ("containers", "spec",
// ...).
const char *patch_list_key(const char *parent, const char *field);
