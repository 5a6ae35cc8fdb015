#include "cloud/aws/controllers/offering_metrics.h"

#include <stdlib.h>

#include "base/duration.h"
#include "base/map.h"
#include "cloud/aws/types/instance_infos.h"
#include "reconcile/operations.h"

#define CONTROLLER  "cloudprovider.metrics"
#define SOON_NS     (5 * SECOND)
#define INTERVAL_NS MINUTE
#define KEY         "metrics"
#define MIB         (1024.0 * 1024.0)

struct pool_value { // of a (type, capacity type, zone) over all NodePools
    const char *instance_type, *capacity_type, *zone;
    bool available;
    int64_t price; // the lowest (AWI-962), upstream's the last one read (AWI-720); nano-USD
};
struct offering_metrics {
    struct manager *manager;
    const struct aws_controllers_environment *environment;
    struct reconcile_queue *queue;
    VECTOR(const struct instance_type_catalog *) catalogs; // of the last pass: references
    struct metric *cpu, *memory, *available, *price;
    struct metric *offerings; // totals
    bool upstream;            // COMPATIBILITY
    bool full;                // METRICS_PROFILE
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

static struct metric *gauge(struct manager *manager, const char *name, const char *help,
                            bool of_offering)
{
    struct metric_options options = {.name = name,
                                     .help = help,
                                     .type = METRIC_GAUGE,
                                     .detailed = true,
                                     .labels = {"instance_type"}};
    if (of_offering) {
        options.labels[1] = "capacity_type";
        options.labels[2] = "zone";
    }
    return metrics_register(manager->registry, &options);
}

struct offering_metrics *offering_metrics_create(
    struct manager *manager, const struct aws_controllers_environment *environment)
{
    struct offering_metrics *metrics = memory_allocate(sizeof *metrics);
    metrics->manager = manager;
    metrics->environment = environment;
    metrics->upstream = manager->settings->compatibility_upstream;
    metrics->full = manager->settings->metrics_full;
    metrics->cpu = gauge(manager, "karpenter_cloudprovider_instance_type_cpu_cores",
                         "CPUs of an instance type.", false);
    metrics->memory = gauge(manager, "karpenter_cloudprovider_instance_type_memory_bytes",
                            "Memory of an instance type.", false);
    metrics->available = gauge(manager, "karpenter_cloudprovider_instance_type_offering_available",
                               "1 if the offering is available to some NodePool, else 0.", true);
    metrics->price = gauge(manager, "karpenter_cloudprovider_instance_type_offering_price_estimate",
                           "Price of the offering, USD an hour.", true);
    static const struct metric_options offerings = {
        .name = "adze_offerings",
        .help = "Offerings of the instance types of all NodePools.",
        .type = METRIC_GAUGE,
        .labels = {"capacity_type", "zone", "available"}};
    metrics->offerings = metrics_register(manager->registry, &offerings);
    metrics->queue =
        manager_queue(manager, &(struct reconcile_queue_options){
                                   .name = CONTROLLER, .reconcile = reconcile, .context = metrics});
    reconcile_queue_add(metrics->queue, KEY);
    return metrics;
}

static void release(const struct instance_type_catalog *catalog)
{
    object_release((const struct object *)catalog);
}

void offering_metrics_destroy(struct offering_metrics *metrics)
{
    if (metrics == NULL)
        return;
    vector_for_each (catalog, &metrics->catalogs)
        release(*catalog);
    vector_free(&metrics->catalogs);
    free(metrics);
}

// AWI-700, 701.
static void publish_types(struct offering_metrics *metrics)
{
    const struct instance_infos *infos = ec2_types_infos(metrics->environment->types);
    if (infos == NULL || !metrics->full)
        return;
    if (!metrics->upstream) { // AWI-962
        metric_remove_all(metrics->cpu);
        metric_remove_all(metrics->memory);
    }
    for (uint32_t i = 0; i < infos->count; i++) {
        const struct instance_info *info = infos->items[i];
        metric_set(metrics->cpu, (double)info->vcpus, info->name);
        metric_set(metrics->memory, (double)info->memory_mib * MIB, info->name);
    }
}

static const char *value_of(const struct offering *offering, const char *key)
{
    list_for_each (requirement, &offering->requirements)
        if (text_equal(requirement->key, key) && requirement->values.count > 0)
            return requirement->values.items[0];
    return NULL;
}

static void add_offering(const struct offering_metrics *metrics, struct map *values,
                         struct text *key, const struct instance_type *type,
                         const struct offering *offering)
{
    const char *capacity_type = value_of(offering, LABEL_CAPACITY_TYPE);
    const char *zone = value_of(offering, LABEL_ZONE);
    if (capacity_type == NULL || zone == NULL)
        return;
    text_clear(key);
    text_format(key, "%s/%s/%s", type->name, capacity_type, zone);
    struct pool_value *value = map_get(values, key->data);
    if (value == NULL) {
        value = memory_allocate(sizeof *value);
        *value = (struct pool_value){type->name, capacity_type, zone, false, offering->price};
        map_set(values, key->data, value);
    }
    value->available = value->available || offering->available;
    if (metrics->upstream || offering->price < value->price)
        value->price = offering->price;
}

// AWI-720: with the gate, zones without a reserved offering have one that is not available.
static void add_missing_reserved(struct map *values, struct text *key,
                                 const struct instance_type *type)
{
    list_for_each (offering, &type->offerings) {
        const char *zone = value_of(offering, LABEL_ZONE);
        if (zone == NULL)
            continue;
        text_clear(key);
        text_format(key, "%s/reserved/%s", type->name, zone);
        if (map_get(values, key->data) != NULL)
            continue;
        struct pool_value *value = memory_allocate(sizeof *value);
        *value = (struct pool_value){type->name, "reserved", zone, false, 0};
        map_set(values, key->data, value);
    }
}

static void publish_offerings(struct offering_metrics *metrics)
{
    struct map *values = map_create();
    struct text key = {0};
    vector_for_each (catalog, &metrics->catalogs)
        list_for_each (type, &(*catalog)->spec.instance_types)
            list_for_each (offering, &type->offerings)
                add_offering(metrics, values, &key, type, offering);
    if (metrics->manager->settings->gate_reserved_capacity)
        vector_for_each (catalog, &metrics->catalogs)
            list_for_each (type, &(*catalog)->spec.instance_types)
                add_missing_reserved(values, &key, type);
    if (!metrics->upstream) { // AWI-962
        metric_remove_all(metrics->available);
        metric_remove_all(metrics->price);
    }
    metric_remove_all(metrics->offerings);
    for (struct map_entry *at = map_first(values); at != NULL; at = map_next(at)) {
        const struct pool_value *value = map_value(at);
        metric_add(metrics->offerings, 1, value->capacity_type, value->zone,
                   value->available ? "true" : "false");
        if (!metrics->full)
            continue;
        metric_set(metrics->available, value->available ? 1 : 0, value->instance_type,
                   value->capacity_type, value->zone);
        metric_set(metrics->price, (double)value->price / 1e9, value->instance_type,
                   value->capacity_type, value->zone);
    }
    map_destroy(values, free);
    text_free(&key);
}

// Keeps the catalogs of this pass. Returns whether they differ from the former ones.
static bool keep(struct offering_metrics *metrics, const struct instance_type_catalog **catalogs,
                 uint32_t count)
{
    bool differ = count != metrics->catalogs.count;
    for (uint32_t i = 0; i < count && !differ; i++)
        differ = catalogs[i] != metrics->catalogs.items[i];
    vector_for_each (catalog, &metrics->catalogs)
        release(*catalog);
    vector_free(&metrics->catalogs);
    for (uint32_t i = 0; i < count; i++)
        vector_push(&metrics->catalogs, catalogs[i]);
    return differ;
}

static int by_address(const void *a, const void *b)
{
    const void *left = *(const void *const *)a, *right = *(const void *const *)b;
    return (left > right) - (left < right);
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct offering_metrics *metrics = context;
    struct cloud *cloud = metrics->environment->cloud;
    VECTOR(const struct instance_type_catalog *) catalogs = {0};
    struct mirror_iterator iterator = {0};
    struct error first = {0};
    bool waits = false; // for a NodeClass that has no subnets yet
    (void)item;
    publish_types(metrics);
    for (const struct object *pool;
         (pool = mirror_next(metrics->manager->mirror, KIND_NODE_POOL, &iterator)) != NULL;) {
        struct error problem = {0};
        const struct instance_type_catalog *catalog =
            cloud->operations->instance_types(cloud, (const struct node_pool *)pool, &problem);
        if (catalog != NULL)
            vector_push(&catalogs, catalog);
        else if (problem.kind == ERROR_NODE_CLASS_NOT_READY)
            waits = true;
        else if (first.kind == ERROR_NONE && problem.kind != ERROR_NONE)
            first = problem;
    }
    if (catalogs.count > 0 && !metrics->upstream)
        qsort((void *)catalogs.items, catalogs.count, sizeof *catalogs.items, by_address);
    if (keep(metrics, catalogs.items, catalogs.count))
        publish_offerings(metrics);
    vector_free(&catalogs);
    if (first.kind != ERROR_NONE) {
        *error = first;
        return reconcile_error();
    }
    return reconcile_after(waits ? SOON_NS : INTERVAL_NS);
}
