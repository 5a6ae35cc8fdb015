// The columns of built-in kinds.
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "sim/store/store.h"

struct printer {
    const char *name;
    const char *type; // "string", "integer"
    int priority;     // 1: only with -o wide
    // The cell's value, a new reference; NULL: empty.
    json_t *(*cell)(const json_t *object, int64_t now_ns);
};
// NULL-name-terminated, or NULL if the kind has no columns of its own.
const struct printer *printers_of(const struct store_resource *resource);
json_t *cell_name(const json_t *object, int64_t now_ns);
json_t *cell_age(const json_t *object, int64_t now_ns);
// The time since an RFC 3339 text: "5m", or "<unknown>".
json_t *cell_since(const char *instant, int64_t now_ns);
