// Fills in a JSONPath template.
#pragma once

#include "base/text.h"
#include "model/manifest/jsonpath.h"

// Appends what the template makes of `root`: texts as they are, other values as JSON, several with
// a blank between them.
bool jsonpath_write(const struct jsonpath *path, json_t *root, struct text *text,
                    struct error *error) MUST_USE;
