// JSON as YAML text: block style, keys in the order of the JSON, strings quoted where YAML 1.1
// would read another type.
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/text.h"

struct yaml_form {
    bool sorts_keys;                           // in byte order
    bool double_quotes;                        // where quotes are needed; else single ones
    bool (*reads_otherwise)(const char *text); // whether a plain text is read as no string
};
// Appends one document, without the line "---".
void yaml_write(const json_t *value, struct text *text);
void yaml_write_as(const json_t *value, const struct yaml_form *form, struct text *text);
