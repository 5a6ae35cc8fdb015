// Sets of fields in the form of metadata.managedFields (FieldsV1): a tree of "f:NAME", "k:{...}" of
// list elements with keys, "v:..." of plain ones, and "." for a field that has fields of its own
// and belongs to the set itself.
//
// Source: Kubernetes, "Server-Side Apply"; the serialization of structured-merge-diff.
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/text.h"

// The key of a list's element; merge_key "": the element itself. The caller frees it.
char *field_set_element_key(const char *merge_key, const json_t *element);
// All fields of an object except its identity and the server's own metadata; new reference.
json_t *field_set_of(const json_t *object);
// The fields in which the two objects differ: those of `new` that are not or otherwise in `old`, or
// (removed) those of `old` that are no longer there; new reference.
json_t *field_set_changed(const json_t *old, const json_t *new);
json_t *field_set_removed(const json_t *old, const json_t *new);

// New references; the arguments are unchanged.
json_t *field_set_union(const json_t *a, const json_t *b);
json_t *field_set_subtract(const json_t *a, const json_t *b);
json_t *field_set_intersect(const json_t *a, const json_t *b);

// Calls visit with each field's path as people read it: .spec.containers[name="web"].image
void field_set_each(const json_t *set, void (*visit)(void *context, const char *path),
                    void *context);
