// Small changes to JSON trees. Paths are dotted ("spec.template.spec"); values of the wrong type
// count as absent.
#pragma once

#include <jansson.h>
#include <stdbool.h>

struct arena;

json_t *tree_at(const json_t *value, const char *path); // borrowed; NULL if absent or null
const char *tree_text_at(const json_t *value, const char *path);
// The object at the path, made with its parents where absent; borrowed.
json_t *tree_make(json_t *value, const char *path);
// Takes the member out of the object: a new reference, or NULL if absent or null.
json_t *tree_take(json_t *object, const char *key);
// Sets the member to the value, whose reference it takes; nothing for NULL.
void tree_put(json_t *object, const char *key, json_t *value);
// Takes `key` of `from` over to `to`, under the same name.
void tree_move(json_t *from, json_t *to, const char *key);
// The text of a string, number or boolean, as YAML would print it; NULL for anything else.
const char *tree_scalar(const json_t *value, struct arena *arena);
// A copy whose objects have their keys in byte order; at its top apiVersion, kind, metadata and
// spec come first (MIG-11).
json_t *tree_ordered(const json_t *value);
// Removes empty objects at the path, from its end upwards.
void tree_prune(json_t *value, const char *path);
