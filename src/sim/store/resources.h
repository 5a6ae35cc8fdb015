// The built-in kinds of the embedded cluster, and adze's custom kinds from their tables.
#pragma once

#include <jansson.h>

#include "sim/store/store_resources.h"

struct kind;

void resources_register(struct store *store); // the built-in ones

// The table of a resource's kind with its printer columns and so on, or NULL.
const struct kind *resource_kind(const struct store_resource *resource);
// Registers the resource of a CustomResourceDefinition's version, unless it is already served.
// Returns false if the object does not have the form of a definition.
bool resources_register_definition(struct store *store, const json_t *definition);
