// JSON to objects, by the tables. Values are first collected in scratch memory, whose strings
// belong to the document; object_pack() then makes the one block.
#pragma once

#include "model/schema/object.h"

// Typed object of a JSON document of that kind (document_decode() of model/tables/kinds.h finds the
// kind itself). The error names the field path ("spec.template.spec.requirements[1].operator").
// Applies the tables' defaults, as an API server would. Result: one reference, owned by the caller.
struct object *object_decode(const json_t *document, const struct kind *kind, enum decode_mode mode,
                             struct error *error) MUST_USE;
// The readable part of an object that does not decode: fields, list items and map entries of the
// wrong form are left out, and meta.unreadable describes the first. NULL if not even kind and name
// are readable.
struct object *object_salvage(const json_t *document, const struct kind *kind) MUST_USE;
