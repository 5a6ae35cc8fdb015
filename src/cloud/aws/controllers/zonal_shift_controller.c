#include "cloud/aws/controllers/zonal_shift_controller.h"

#include <assert.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/nanoseconds.h"
#include "cloud/aws/controllers/aws_operations.h"
#include "cloud/aws/controllers/periodic.h"
#include "model/reading/requirement_match.h"
#include "reconcile/events.h"

#define CONTROLLER    "zonalshift"
#define INTERVAL_NS   (30 * SECOND)
#define LABEL_ZONE_ID "topology.k8s.aws/zone-id"

struct zonal_shift_controller {
    struct manager *manager;
    const struct aws_controllers_environment *environment;
    struct periodic *periodic;
    struct map *told; // zone ids whose shift NodePools were told of
    char *cluster_arn;
    struct metric *shifted;
};

static bool begin(void *context, struct operation_about *about);

struct zonal_shift_controller *zonal_shift_controller_create(
    struct manager *manager, const struct aws_controllers_environment *environment)
{
    if (!manager->settings->enable_zonal_shift || environment->zonal_shift == NULL)
        return NULL;
    struct zonal_shift_controller *controller = memory_allocate(sizeof *controller);
    controller->manager = manager;
    controller->environment = environment;
    controller->told = map_create();
    controller->shifted = metrics_register(
        manager->registry, &(struct metric_options){.name = "adze_zonal_shift_active",
                                                    .help = "Zones that a zonal shift moves "
                                                            "traffic away from: 1 while it does.",
                                                    .type = METRIC_GAUGE,
                                                    .labels = {"zone_id"}});
    zonal_shift_follow_upstream(environment->zonal_shift,
                                manager->settings->compatibility_upstream);
    controller->periodic =
        periodic_create(manager, &(struct periodic_options){.name = CONTROLLER,
                                                            .interval_ns = INTERVAL_NS,
                                                            .backoff_max_ns = INTERVAL_NS,
                                                            .begin = begin,
                                                            .context = controller});
    return controller;
}

void zonal_shift_controller_destroy(struct zonal_shift_controller *controller)
{
    if (controller == NULL)
        return;
    periodic_destroy(controller->periodic);
    map_destroy(controller->told, NULL);
    free(controller->cluster_arn);
    free(controller);
}

// --- events (AWI-654) ----------------------------------------------------------------------------
static const char *zone_name_of(const struct ec2_node_class *node_class, const char *zone_id)
{
    list_for_each (subnet, &node_class->status.subnets)
        if (text_equal(subnet->zone_id, zone_id))
            return subnet->zone;
    return NULL;
}

static void tell_pool(const struct zonal_shift_controller *controller, const struct node_pool *pool,
                      const char *zone_id, bool active)
{
    const struct node_claim_spec *spec = &pool->spec.template.spec;
    const struct ec2_node_class *node_class =
        spec->node_class_ref != NULL && text_equal(spec->node_class_ref->kind, "EC2NodeClass")
            ? (const struct ec2_node_class *)mirror_get(controller->manager->mirror,
                                                        KIND_EC2_NODE_CLASS, NULL,
                                                        spec->node_class_ref->name)
            : NULL;
    const char *zone = node_class != NULL ? zone_name_of(node_class, zone_id) : NULL;
    if (zone == NULL || !requirements_allow(&spec->requirements, LABEL_ZONE, zone) ||
        !requirements_allow(&spec->requirements, LABEL_ZONE_ID, zone_id))
        return;
    char *key CLEANUP_FREE = NULL;
    if (asprintf(&key, "%s/%s", text_or_empty(pool->meta.uid), zone_id) < 0)
        abort();
    if (active)
        publish_keyed(controller->manager, (const struct object *)pool, EVENT_ZONAL_SHIFT_ACTIVE,
                      key,
                      "Zonal shift detected: offerings in zone %s (%s) are unavailable for this "
                      "NodePool",
                      zone, zone_id);
    else
        publish_keyed(controller->manager, (const struct object *)pool, EVENT_ZONAL_SHIFT_CLEARED,
                      key,
                      "Zonal shift cleared: offerings in zone %s (%s) are restored for this "
                      "NodePool",
                      zone, zone_id);
}

// AWI-943: each NodePool for itself.
static void tell_pools(const struct zonal_shift_controller *controller, const char *zone_id,
                       bool active)
{
    struct mirror_iterator iterator = {0};
    for (const struct object *pool;
         (pool = mirror_next(controller->manager->mirror, KIND_NODE_POOL, &iterator)) != NULL;)
        tell_pool(controller, (const struct node_pool *)pool, zone_id, active);
    log_info(active ? "zonal shift detected" : "zonal shift cleared", "s:controller", CONTROLLER,
             "s:zone-id", zone_id);
}

static void tell_changes(struct zonal_shift_controller *controller)
{
    const char *zones[SHIFTED_ZONES_MAX];
    uint32_t count = zonal_shift_zones(controller->environment->zonal_shift, zones);
    metric_remove_all(controller->shifted);
    for (uint32_t i = 0; i < count; i++) {
        metric_set(controller->shifted, 1, zones[i]);
        if (map_set(controller->told, zones[i], controller) == NULL)
            tell_pools(controller, zones[i], true);
    }
    for (struct map_entry *at = map_first(controller->told), *next; at != NULL; at = next) {
        next = map_next(at);
        if (zonal_shift_has(controller->environment->zonal_shift, map_key(at)))
            continue;
        tell_pools(controller, map_key(at), false);
        map_remove(controller->told, map_key(at));
    }
}

// --- asking --------------------------------------------------------------------------------------
// AWI-942: the state is unknown, and no zone becomes shifted anew.
static void tell_unavailable(const struct zonal_shift_controller *controller,
                             const struct error *error)
{
    struct mirror_iterator iterator = {0};
    for (const struct object *pool;
         (pool = mirror_next(controller->manager->mirror, KIND_NODE_POOL, &iterator)) != NULL;)
        publish_keyed(controller->manager, pool, EVENT_ZONAL_SHIFT_UNAVAILABLE, pool->meta.uid,
                      "Zonal shifts of the cluster cannot be read: %.300s", error->message);
}

static enum operation_outcome note_resource(void *context, const struct aws_result *result)
{
    struct zonal_shift_controller *controller = context;
    if (result->error.kind != ERROR_NONE) {
        tell_unavailable(controller, &result->error);
        tell_changes(controller); // by expiry
        return OPERATION_PASS;
    }
    if (zonal_shift_update(controller->environment->zonal_shift, result->reply))
        cloud_change_types(controller->environment->cloud);
    tell_changes(controller);
    return OPERATION_NOTED;
}

static enum operation_outcome note_cluster(void *context, const struct aws_result *result)
{
    struct zonal_shift_controller *controller = context;
    const char *arn =
        json_string_value(json_object_get(json_object_get(result->reply, "cluster"), "arn"));
    if (result->error.kind != ERROR_NONE) {
        tell_unavailable(controller, &result->error);
        return OPERATION_PASS;
    }
    free(controller->cluster_arn);
    controller->cluster_arn = memory_copy_string(arn);
    periodic_run_now(controller->periodic);
    return OPERATION_NOTED;
}

// The ARN from the known facts of the cluster; else EKS tells it (AWI-650).
static void find_arn(struct zonal_shift_controller *controller)
{
    const struct cluster_facts *cluster = controller->environment->cluster;
    if (controller->cluster_arn != NULL || text_is_empty(cluster->partition) ||
        text_is_empty(cluster->region) || text_is_empty(cluster->account) ||
        text_is_empty(cluster->name))
        return;
    struct text arn = {0};
    text_format(&arn, "arn:%s:eks:%s:%s:cluster/%s", cluster->partition, cluster->region,
                cluster->account, cluster->name);
    controller->cluster_arn = text_take(&arn);
}

static bool begin(void *context, struct operation_about *about)
{
    struct zonal_shift_controller *controller = context;
    about->doing = "updating zonal shifts";
    find_arn(controller);
    if (controller->cluster_arn == NULL) {
        struct aws_request request = {
            .action = EKS_DESCRIBE_CLUSTER,
            .parameters =
                json_pack("{s:s}", "name", text_or_empty(controller->environment->cluster->name))};
        start_aws_call(about, controller->environment->client, &request, note_cluster, controller);
        return true;
    }
    struct aws_request request = {
        .action = ARC_ZONAL_SHIFT_GET_MANAGED_RESOURCE,
        .parameters = json_pack("{s:s}", "resourceIdentifier", controller->cluster_arn)};
    start_aws_call(about, controller->environment->client, &request, note_resource, controller);
    return true;
}
