// The resources that a store serves, found by path or by kind.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sim/store/store_resource.h"

struct store;

void store_register(struct store *store, const struct store_resource *resource); // copied
// No longer serves a kind that was defined at run time; its objects must be gone.
void store_withdraw(struct store *store, const struct store_resource *resource);
const struct store_resource *store_resource_find(const struct store *store, const char *group,
                                                 const char *version, const char *plural);
const struct store_resource *store_resource_of_kind(const struct store *store,
                                                    const char *api_version, const char *kind);
const struct store_resource *store_resources(const struct store *store, uint32_t *count);
void store_resource_release(struct store_resource *resource); // frees the copy's contents
