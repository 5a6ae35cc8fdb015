// Field paths as people read them (API-316): dotted, list indices in brackets, map keys with dots
// or slashes in brackets and quotes: spec.template.metadata.labels["team/x"].
#pragma once

#include <jansson.h>

#include "base/text.h"

void path_add_name(struct text *path, const char *name); // a field or a map key
void path_add_index(struct text *path, size_t index);

// "an object", "a list", "null": what a message says was found; booleans as the caller calls them.
const char *json_type_text(const json_t *value, const char *boolean);
