// Reads TOML 1.0.
#pragma once

#include "base/error.h"
#include "cloud/aws/families/toml_value.h"

#define TOML_BYTES_MAX (256u << 10)
#define TOML_DEPTH_MAX 64

// The document's table, in arena memory; NULL: the error names line and column.
struct toml_value *toml_read(const char *text, struct arena *arena, struct error *error) MUST_USE;
