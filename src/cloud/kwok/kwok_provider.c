#include "cloud/kwok/kwok_provider.h"

#include "base/text.h"
#include "cloud/kwok/kwok_catalog.h"
#include "cloud/kwok/kwok_class_status.h"
#include "cloud/kwok/kwok_cloud.h"
#include "model/reading/settings.h"

static const struct instance_type_catalog *generic(struct error *error)
{
    (void)error;
    return kwok_catalog_generic();
}

// FMT-14: a missing file is bad input.
static const struct instance_type_catalog *read_catalog(const char *path, struct error *error)
{
    const struct instance_type_catalog *catalog = kwok_catalog_read(path, error);
    if (catalog == NULL && error->kind == ERROR_NOT_FOUND)
        error->kind = ERROR_INVALID;
    return catalog;
}

static struct cloud *create(const struct provider_environment *environment, struct error *error)
{
    const char *path = environment->settings->instance_types_file_path;
    bool is_own = path != NULL && path[0] != '\0';
    const struct instance_type_catalog *catalog =
        is_own ? read_catalog(path, error) : kwok_catalog_generic();
    if (catalog == NULL)
        return NULL;
    struct kwok_cloud_options options = {.catalog = catalog, .catalog_is_own = is_own};
    struct cloud *cloud =
        kwok_cloud_create(environment->loop, environment->client, environment->mirror, &options);
    cloud->provider = &kwok_provider;
    object_release((const struct object *)catalog);
    return cloud;
}

static const enum kind_id node_classes[] = {KIND_KWOK_NODE_CLASS, KIND_COUNT};

const struct cloud_provider kwok_provider = {
    .name = "kwok",
    .node_class = KIND_KWOK_NODE_CLASS,
    .serves = node_classes,
    .labels = &provider_labels_kwok,
    .catalog = generic,
    .catalog_text = "generic ones of the kwok provider, built in",
    .catalog_help = "generic ones",
    .read_catalog = read_catalog,
    .machines = "Node objects",
    .create = create,
    .reconcilers_create = kwok_class_status_create,
    .reconcilers_destroy = kwok_class_status_destroy,
};
