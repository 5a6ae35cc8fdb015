// The store's writes with everything an API server answers: failures with their details, warnings,
// dry runs. The functions of store.h wrap these without the details.
#pragma once

#include "sim/store/failure.h"
#include "sim/store/store_draft.h"
#include "sim/store/store_objects.h"

json_t *store_write_add(struct store *store, const struct store_resource *resource,
                        const char *namespace, json_t *object, const struct write_options *options,
                        struct failure *failure);
json_t *store_write_replace(struct store *store, const struct store_target *target, json_t *object,
                            const struct write_options *options, struct failure *failure);
