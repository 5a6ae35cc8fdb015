#include "cloud/aws/instances/pool_overlays.h"

const struct instance_type_catalog *with_pool_overlays(
    const struct aws_machines_environment *environment, const char *pool,
    const struct instance_type_catalog *catalog)
{
    const struct object *found = environment->settings->gate_node_overlay && pool != NULL
                                     ? mirror_get(environment->mirror, KIND_NODE_POOL, NULL, pool)
                                     : NULL;
    const struct instance_type_catalog *overlaid =
        found != NULL && environment->overlaid != NULL
            ? environment->overlaid(environment->context, (const struct node_pool *)found, catalog)
            : NULL;
    if (overlaid == NULL)
        return catalog;
    object_release((const struct object *)catalog);
    return overlaid;
}
