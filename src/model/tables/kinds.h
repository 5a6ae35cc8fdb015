// The table of kinds: one row each with its names and the table of its fields.
#pragma once

#include "model/schema/object.h"

const struct kind *kind_get(enum kind_id id);
// Finds a kind by any served version; NULL if unknown.
const struct kind *kind_find(const char *api_version, const char *name);
// A custom kind has this name, in whatever group: no kind of Kubernetes itself has it.
bool kind_is_custom(const char *name);
const struct kind *kind_find_plural(const char *group, const char *version, const char *plural);

// The conditions of a NodeClaim, NodePool, Node, node class, NodeOverlay or CapacityBuffer;
// borrowed. Empty for other kinds.
const condition_list *object_conditions(const struct object *object);

// Typed object of a JSON document of any of these kinds: object_decode() by its apiVersion and
// kind.
struct object *document_decode(const json_t *document, enum decode_mode mode,
                               struct error *error) MUST_USE;
