// JSON as YAML text: block style, keys in the order of the JSON, strings quoted where YAML 1.1
// would read another type.
#pragma once

#include <jansson.h>

#include "base/text.h"

// Appends one document, without the line "---".
void yaml_write(const json_t *value, struct text *text);
