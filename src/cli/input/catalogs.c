#include "cli/input/catalogs.h"

#include "base/text.h"
#include "cloud/aws/ec2_types.h"
#include "cloud/kwok/kwok_catalog.h"

const struct instance_type_catalog *catalog_of_provider(const char *provider, const char *path,
                                                        struct error *error)
{
    if (path != NULL && *path != '\0') {
        const struct instance_type_catalog *catalog = kwok_catalog_read(path, error);
        if (catalog == NULL && error->kind == ERROR_NOT_FOUND) // FMT-14: bad input
            error->kind = ERROR_INVALID;
        return catalog;
    }
    if (text_equal(provider, "kwok"))
        return kwok_catalog_generic();
    if (text_equal(provider, "sim"))
        return ec2_catalog_create(NULL, error);
    error_set(error, ERROR_INVALID, "unknown provider \"%s\": kwok and sim are there", provider);
    return NULL;
}

const char *catalog_text_of_provider(const char *provider)
{
    return text_equal(provider, "kwok")
               ? "generic ones of the kwok provider, built in"
               : "of EC2, built in (list prices of us-east-1; spot prices are estimates)";
}
