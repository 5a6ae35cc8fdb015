#include "sim/store/store_patch.h"

#include <string.h>

#include "sim/store/patch.h"
#include "sim/store/store_internal.h"
#include "sim/store/store_objects.h"
#include "sim/store/store_write.h"

json_t *store_write_patch(struct store *store, const struct store_target *target,
                          const char *patch_type, json_t *patch,
                          const struct write_options *options, struct failure *failure)
{
    json_t *old = store_get(store, target->resource, target->namespace, target->name);
    if (old == NULL) {
        failure_not_found(failure, target->resource, target->name);
        return NULL;
    }
    if (target->resource->custom && strcmp(patch_type, "strategic") == 0) {
        failure_set(
            failure, 415, "UnsupportedMediaType",
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json-patch+json, application/merge-patch+json, "
            "application/apply-patch+yaml");
        return NULL;
    }
    json_t *patched = patch_apply(patch_type, old, patch, failure);
    if (patched == NULL)
        return NULL;
    json_t *stored = store_write_replace(store, target, patched, options, failure);
    json_decref(patched);
    return stored;
}

json_t *store_patch(struct store *store, const struct store_target *target, const char *patch_type,
                    json_t *patch, struct error *error)
{
    const struct write_options options = {0};
    struct failure failure = {0};
    json_t *stored = store_write_patch(store, target, patch_type, patch, &options, &failure);
    if (stored == NULL)
        failure_to_error(&failure, error);
    failure_clear(&failure);
    return stored;
}
