#include "cloud/aws/launch_events.h"

#include "reconcile/events.h"

void tell_failed_node_class(struct manager *manager, const struct object *about)
{
    if (manager != NULL)
        publish_keyed(manager, about, EVENT_NODE_CLASS_NOT_FOUND, about->meta.uid,
                      "Failed resolving NodeClass");
}

void tell_spot_role_missing(struct manager *manager, const struct node_claim *claim)
{
    if (manager != NULL)
        publish_keyed(manager, (const struct object *)claim, EVENT_SPOT_ROLE_MISSING,
                      claim->meta.uid,
                      "Attempted to launch a spot instance but failed due to "
                      "\"AuthFailure.ServiceLinkedRoleCreationNotPermitted\"");
}

void tell_few_spot_pools(struct manager *manager, const struct node_claim *claim, uint32_t pools)
{
    const char *name = object_label((const struct object *)claim, LABEL_NODE_POOL);
    const struct object *pool = manager != NULL && name != NULL
                                    ? mirror_get(manager->mirror, KIND_NODE_POOL, NULL, name)
                                    : NULL;
    if (pool != NULL)
        publish_keyed(manager, pool, EVENT_FEW_SPOT_POOLS, pool->meta.uid,
                      "A launch of spot for nodeclaim/%s has %u pool(s) to choose from (instance "
                      "types and zones): allow more of them, or on-demand as well",
                      claim->meta.name, pools);
}
