// Accessors of objects as JSON values, and a few changes of values under construction.
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "model/schema/condition_types.h"

// All results are borrowed.
const char *store_name(const json_t *object);
const char *store_namespace(const json_t *object); // "" if none
const char *store_uid(const json_t *object);
// The value at a dotted path ("spec.template.spec"), or NULL.
json_t *store_path(const json_t *object, const char *path);
bool store_condition_is_true(const json_t *object, enum condition_type type);
json_t *child_object(json_t *object, const char *key);                         // created if absent
void default_set(json_t *object, const char *key, json_t *value /* stolen */); // if absent or null
const char *string_at(const json_t *object, const char *key);                  // NULL if none
