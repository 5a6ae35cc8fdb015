#include "cli/input/price_file.h"

#include <assert.h>

#include "base/text.h"

bool price_file_apply(struct snapshot *snapshot, const struct cloud_provider *provider,
                      struct error *error)
{
    assert(snapshot != NULL);
    const char *path = snapshot->settings.prices_file;
    if (text_is_empty(path))
        return true;
    if (provider == NULL)
        return error_set(error, ERROR_INVALID,
                         "PRICES=%.200s has no meaning here: the instance types are not built in, "
                         "and their catalogue says their prices",
                         path);
    if (provider->reprice == NULL)
        return error_set(error, ERROR_INVALID,
                         "PRICES=%.200s has no meaning for provider %s, whose prices are its own",
                         path, provider->name);
    for (uint32_t i = 0; i < snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count; i++) {
        const struct object **at = &snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].items[i];
        const struct instance_type_catalog *priced =
            provider->reprice((const struct instance_type_catalog *)*at, path, error);
        if (priced == NULL)
            return error_prefix(error, "PRICES");
        object_release(*at);
        *at = (const struct object *)priced;
    }
    return true;
}
