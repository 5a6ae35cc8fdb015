// The built-in kinds that the embedded cluster serves, and adze's custom kinds from their tables.
#pragma once

#include <jansson.h>

#include "sim/store/store_resources.h"

struct kind;

void resources_register(struct store *store); // the built-in ones

// The table of a resource's kind with its printer columns and so on, or NULL.
const struct kind *resource_kind(const struct store_resource *resource);
// The resource that a CustomResourceDefinition's version describes is registered (nothing happens
// if it is already served). False if the object has not the form of one.
bool resources_register_definition(struct store *store, const json_t *definition);
