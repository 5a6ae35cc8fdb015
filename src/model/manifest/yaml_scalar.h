// Plain YAML scalars to JSON values, with the rules of the YAML reader of Kubernetes' clients: YAML
// 1.1's words for booleans, C-like integers, floats; everything else is a string.
#pragma once

#include <jansson.h>
#include <stddef.h>

// What a plain scalar means (yaml_scalar.c): a new value, or NULL if JSON cannot say it (.nan,
// .inf).
json_t *yaml_resolve_plain(const char *text, size_t length);
