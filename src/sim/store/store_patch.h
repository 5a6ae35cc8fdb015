// Patches: applied to the stored object, then written like a replacement.
#pragma once

#include "sim/store/store_write.h"

// Applies a patch (kube/transport/transport.h's types as "merge", "json", "strategic") and
// replaces.
json_t *store_patch(struct store *store, const struct store_target *target, const char *patch_type,
                    json_t *patch, struct error *error);
json_t *store_write_patch(struct store *store, const struct store_target *target,
                          const char *patch_type, json_t *patch,
                          const struct write_options *options, struct failure *failure);
