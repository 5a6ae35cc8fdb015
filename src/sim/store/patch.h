// The three patch formats of the Kubernetes API over JSON values: JSON merge patch (RFC 7386), JSON
// patch (RFC 6902) and strategic merge patch (lists merged by key; the $patch, $retainKeys,
// $deleteFromPrimitiveList and $setElementOrder directives).
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "sim/store/failure.h"

// By type: "merge", "json" or "strategic". Returns a new value; the arguments are unchanged. NULL
// with failure set on error.
json_t *patch_apply(const char *type, const json_t *object, const json_t *patch,
                    struct failure *failure);
