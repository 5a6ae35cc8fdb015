// Plain YAML scalars to JSON values, by the rules of the YAML reader in Kubernetes' clients: YAML
// 1.1's words for booleans, C-like integers, floats; everything else is a string.
#pragma once

#include <jansson.h>
#include <stddef.h>

// The value of a plain scalar (yaml_scalar.c): a new reference, or NULL if JSON cannot express it
// (.nan, .inf).
json_t *yaml_resolve_plain(const char *text, size_t length);
