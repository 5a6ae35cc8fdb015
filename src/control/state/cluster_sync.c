#include "control/state/cluster_sync.h"

#include "base/nanoseconds.h"
#include "control/state/cluster_contents.h"
#include "model/reading/state_node_rules.h"

#define UNLAUNCHED_WAIT_NS (30 * SECOND)

static bool everything_tracked(const struct cluster *cluster)
{
    const struct mirror *mirror = cluster->control->manager.mirror;
    struct mirror_iterator iterator = {0};
    for (const struct object *object; (object = mirror_next(mirror, KIND_NODE_CLAIM, &iterator));) {
        const struct node_claim *claim = (const struct node_claim *)object;
        if (managed_claim(cluster->control, claim) && node_claim_key(claim) == NULL &&
            !object_is_deleting(object))
            return false;
    }
    iterator = (struct mirror_iterator){0};
    for (const struct object *object; (object = mirror_next(mirror, KIND_NODE, &iterator));)
        if (state_node_key((const struct node *)object) == NULL)
            return false;
    return true;
}

bool cluster_synced(struct cluster *cluster)
{
    struct control_metrics *metrics = &cluster->control->metrics;
    int64_t now = loop_monotonic_ns(cluster->control->manager.loop);
    if (!cluster->synced && mirror_synced(cluster->control->manager.mirror)) {
        if (cluster->listed_at_ns == 0)
            cluster->listed_at_ns = ns_add(now, 1);
        cluster->synced = everything_tracked(cluster) ||
                          ns_subtract(now, cluster->listed_at_ns) >= UNLAUNCHED_WAIT_NS;
    }
    metric_set(metrics->cluster_synced, cluster->synced);
    metric_set(metrics->cluster_nodes, cluster_count(cluster));
    if (!cluster->synced && cluster->unsynced_ns == 0)
        cluster->unsynced_ns = now;
    metric_set(metrics->cluster_unsynced_seconds,
               cluster->synced ? 0 : (double)ns_subtract(now, cluster->unsynced_ns) / SECOND);
    return cluster->synced;
}
