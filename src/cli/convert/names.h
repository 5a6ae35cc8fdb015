// Keys of labels, requirements, taints and annotations as they are called today (MIG-60, MIG-61).
#pragma once

#include "cli/convert/conversion.h"

// Each takes the reference of its value and returns one; NULL stays NULL. `path` is that of the
// result, for notes.
json_t *requirements_today(struct product *product, const char *path, json_t *list);
json_t *labels_today(struct product *product, const char *path, json_t *map);
json_t *annotations_today(struct product *product, const char *path, json_t *map);
// NULL, with the source failed: a taint without an effect.
json_t *taints_today(struct source *source, struct product *product, const char *path,
                     json_t *list);
// Name, labels and annotations, nothing else (MIG-11); takes the reference.
json_t *metadata_today(struct product *product, json_t *metadata);
// A list of objects or of anything: a lone object becomes a list of one. Takes the reference.
json_t *list_of(json_t *value);
// MIG-17: what is left of a source's fields. False, with the source failed: --strict.
bool unknown_fields(struct source *source, struct product *product, const char *path,
                    const json_t *rest);
