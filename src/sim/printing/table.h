// Tables (meta.k8s.io/v1), as kubectl get prints them. Columns of built-in kinds match kubectl's;
// those of custom kinds come from their printer columns.
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "sim/store/store.h"

// Table of a list or of one object (borrowed). include_object: NULL or "Metadata", "None",
// "Object".
json_t *table_of_list(const struct store_resource *resource, const json_t *list,
                      const char *include_object, int64_t now_ns);
json_t *table_of_object(const struct store_resource *resource, json_t *object,
                        const char *include_object, int64_t now_ns, bool with_columns);

// A printer column's JSONPath (".spec.x", ".status.conditions[?(@.type==\"Ready\")].status",
// ".metadata.labels.a\.b"): the first value found, borrowed, or NULL.
json_t *json_path_first(const json_t *object, const char *path);
