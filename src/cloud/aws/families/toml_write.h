// Writes TOML in the form that Go's usual library gives it: keys of a table before its tables,
// single quotes where they can be, an empty line before each table but the first.
#pragma once

#include "base/text.h"
#include "cloud/aws/families/toml_value.h"

// The order of a table's keys: `compare` of two keys (as strcmp), for the table at `path` ("" for
// the root, "settings.kubernetes"). NULL: byte order everywhere.
struct toml_order {
    int (*compare)(const char *path, const char *a, const char *b);
};
void toml_write(const struct toml_value *table, const struct toml_order *order, struct text *text);
