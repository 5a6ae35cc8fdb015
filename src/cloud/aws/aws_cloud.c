#include "cloud/aws/aws_cloud.h"

#include <assert.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/nanoseconds.h"
#include "cloud/aws/cluster_discovery.h"
#include "cloud/aws/controllers/aws_controllers.h"
#include "cloud/aws/controllers/zonal_shift.h"
#include "cloud/aws/credentials/profile_settings.h"
#include "cloud/aws/instances/aws_machines.h"
#include "cloud/aws/interruption/interruption.h"
#include "cloud/aws/launch_events.h"
#include "cloud/aws/nodeclass/node_class_controllers.h"
#include "cloud/aws/overlaid_catalog.h"
#include "cloud/aws/overlay_prices.h"
#include "cloud/aws/types/built_in_types.h"
#include "cloud/aws/types/ec2_types.h"
#include "reconcile/events.h"
#include "reconcile/operations.h"

#define TYPES_RETRY_MIN SECOND
#define TYPES_RETRY_MAX (30 * SECOND)

struct aws_cloud {
    struct cloud cloud;
    struct provider_environment environment;
    struct profile_settings *settings;
    struct aws_http *http;
    struct aws_credentials_source *credentials;
    struct aws_client *client;
    struct cluster_discovery *discovery;
    struct unavailable_offerings *unavailable;
    struct reservation_counts *reservations;
    struct placement_groups *groups;
    struct own_prices *own_prices;
    struct type_figures *figures;
    struct ec2_prices *prices;
    struct ec2_types *types;
    struct overlay_prices *overlays;
    struct overlaid_catalog *overlaid;
    struct zonal_shift *zonal_shift;
    struct subnet_addresses *addresses;
    struct launch_templates *templates;
    struct aws_machines *machines;
    struct manager *manager;                 // NULL: no reconcilers yet, or no more
    const struct interruption *interruption; // of them
    struct timer *types_retry;
    int64_t types_delay;
    struct {
        void (*done)(void *context);
        void *context;
    } ready;
};

static struct aws_cloud *aws_of(struct cloud *cloud)
{
    return (struct aws_cloud *)cloud; // its first member
}

// --- the assembly --------------------------------------------------------------------------------

static const struct cloud_operations aws_operations;
static void load_types(void *context);

static void types_changed(void *cloud)
{
    cloud_change_types(cloud);
}

static void drift_changed(void *cloud, const char *node_claim)
{
    cloud_change_drift(cloud, node_claim);
}

static int64_t overlay_price(void *context, const char *instance_type)
{
    const struct aws_cloud *aws = context;
    return overlay_price_of(aws->overlays, instance_type);
}

static bool zone_is_shifted(void *context, const char *zone_id)
{
    const struct aws_cloud *aws = context;
    return zonal_shift_has(aws->zonal_shift, zone_id);
}

static void failed_node_class(void *context, const struct object *about)
{
    tell_failed_node_class(((const struct aws_cloud *)context)->manager, about);
}

static void spot_role_missing(void *context, const struct node_claim *claim)
{
    tell_spot_role_missing(((const struct aws_cloud *)context)->manager, claim);
}

static void few_spot_pools(void *context, const struct node_claim *claim, uint32_t pools)
{
    tell_few_spot_pools(((const struct aws_cloud *)context)->manager, claim, pools);
}

static const struct instance_type_catalog *with_overlays(
    void *context, const struct node_pool *pool, const struct instance_type_catalog *catalog)
{
    const struct aws_cloud *aws = context;
    return overlaid_catalog_of(aws->overlaid, pool, catalog);
}

static bool open_client(struct aws_cloud *aws, const struct aws_cloud_options *options,
                        struct error *error)
{
    const struct provider_environment *environment = &aws->environment;
    struct aws_environment variables = {options->variable, options->variable_context};
    if (variables.get == NULL && options->settings != NULL)
        variables = profile_settings_environment(options->settings);
    struct aws_client_options client = {.loop = environment->loop,
                                        .http = aws->http,
                                        .credentials = aws->credentials,
                                        .region = options->region,
                                        .environment = variables.get,
                                        .environment_context = variables.context,
                                        .metrics = environment->metrics,
                                        .seed = environment->seed,
                                        .decodes_denials =
                                            !environment->settings->compatibility_upstream};
    aws->client = aws_client_create(&client, error);
    if (aws->client == NULL)
        return false;
    struct cluster_discovery_options discovery = {.loop = environment->loop,
                                                  .client = aws->client,
                                                  .kube = environment->client,
                                                  .settings = environment->settings,
                                                  .api_ca = environment->api_ca};
    aws->discovery = cluster_discovery_create(&discovery, error);
    return aws->discovery != NULL;
}

// The user's files.
static bool open_data(struct aws_cloud *aws, struct error *error)
{
    const struct settings *settings = aws->environment.settings;
    aws->figures = type_figures_create();
    if (!text_is_empty(settings->prices_file))
        aws->own_prices = own_prices_load(settings->prices_file, error);
    return (text_is_empty(settings->prices_file) || aws->own_prices != NULL) &&
           (text_is_empty(settings->instance_type_figures) ||
            type_figures_load(aws->figures, settings->instance_type_figures, error));
}

static void open_types(struct aws_cloud *aws)
{
    struct loop *loop = aws->environment.loop;
    const struct settings *settings = aws->environment.settings;
    const char *region = aws_client_region(aws->client);
    bool upstream = settings->compatibility_upstream;
    aws->unavailable = unavailable_offerings_create(&(struct unavailable_options){
        .loop = loop, .upstream = upstream, .changed = types_changed, .context = aws});
    aws->reservations = reservation_counts_create(loop);
    aws->groups = placement_groups_create();
    aws->prices =
        ec2_prices_create(&(struct ec2_prices_options){.loop = loop,
                                                       .region = region,
                                                       .isolated_vpc = settings->isolated_vpc,
                                                       .own = aws->own_prices,
                                                       .upstream = upstream,
                                                       .changed = types_changed,
                                                       .context = aws});
    aws->overlays = overlay_prices_create(aws->environment.mirror, settings);
    aws->overlaid = overlaid_catalog_create(aws->environment.mirror, settings);
    aws->zonal_shift = zonal_shift_create(loop);
    struct ec2_types_options types = {.loop = loop,
                                      .settings = settings,
                                      .region = region,
                                      .prices = aws->prices,
                                      .unavailable = aws->unavailable,
                                      .reservations = aws->reservations,
                                      .groups = aws->groups,
                                      .figures = aws->figures,
                                      .zone_is_shifted = zone_is_shifted,
                                      .overlay_price = overlay_price,
                                      .changed = types_changed,
                                      .context = aws};
    aws->types = ec2_types_create(&types);
}

static void open_machines(struct aws_cloud *aws)
{
    const struct provider_environment *environment = &aws->environment;
    const struct cluster_facts *cluster = cluster_discovery_facts(aws->discovery);
    aws->addresses =
        subnet_addresses_create(environment->loop, environment->settings->subnet_refresh_interval);
    if (environment->settings->compatibility_upstream)
        subnet_addresses_choose_one(aws->addresses);
    aws->templates = launch_templates_create(
        &(struct launch_templates_options){.loop = environment->loop,
                                           .client = aws->client,
                                           .settings = environment->settings,
                                           .cluster = cluster,
                                           .metrics = environment->metrics,
                                           .types = aws->types});
    struct aws_machines_environment machines = {.loop = environment->loop,
                                                .client = aws->client,
                                                .mirror = environment->mirror,
                                                .settings = environment->settings,
                                                .cluster = cluster,
                                                .types = aws->types,
                                                .unavailable = aws->unavailable,
                                                .reservations = aws->reservations,
                                                .groups = aws->groups,
                                                .addresses = aws->addresses,
                                                .templates = aws->templates,
                                                .zone_is_shifted = zone_is_shifted,
                                                .failed_node_class = failed_node_class,
                                                .spot_role_missing = spot_role_missing,
                                                .few_spot_pools = few_spot_pools,
                                                .drift_changed = drift_changed,
                                                .overlaid = with_overlays,
                                                .context = aws,
                                                .metrics = environment->metrics};
    aws->machines = aws_machines_create(&machines);
}

static void aws_destroy(struct cloud *cloud);

struct cloud *aws_cloud_create(const struct aws_cloud_options *options, struct error *error)
{
    assert(options->http != NULL);
    assert(options->region != NULL);
    struct aws_cloud *aws = memory_allocate(sizeof *aws);
    aws->cloud.operations = &aws_operations;
    aws->environment = *options->environment;
    aws->settings = options->settings;
    aws->http = options->http;
    aws->credentials = options->credentials;
    aws->types_retry = timer_create_on(aws->environment.loop, load_types, aws);
    aws->types_delay = TYPES_RETRY_MIN;
    if (!open_data(aws, error) || !open_client(aws, options, error)) {
        aws_destroy(&aws->cloud);
        return NULL;
    }
    open_types(aws);
    open_machines(aws);
    return &aws->cloud;
}

// From the last to the first: each may hold calls of those before it.
static void aws_destroy(struct cloud *cloud)
{
    struct aws_cloud *aws = aws_of(cloud);
    aws_machines_destroy(aws->machines);
    launch_templates_destroy(aws->templates);
    subnet_addresses_destroy(aws->addresses);
    ec2_types_destroy(aws->types);
    zonal_shift_destroy(aws->zonal_shift);
    overlaid_catalog_destroy(aws->overlaid);
    overlay_prices_destroy(aws->overlays);
    ec2_prices_destroy(aws->prices);
    own_prices_destroy(aws->own_prices);
    type_figures_destroy(aws->figures);
    placement_groups_destroy(aws->groups);
    reservation_counts_destroy(aws->reservations);
    unavailable_offerings_destroy(aws->unavailable);
    cluster_discovery_destroy(aws->discovery);
    aws_client_destroy(aws->client);
    timer_destroy(aws->types_retry);
    if (aws->credentials != NULL)
        aws->credentials->operations->destroy(aws->credentials);
    aws->http->operations->destroy(aws->http);
    profile_settings_destroy(aws->settings);
    free(aws);
}

// --- preparation (AWN-500, AWI-3) ----------------------------------------------------------------

static void types_loaded(void *context, const struct error *error)
{
    struct aws_cloud *aws = context;
    if (ec2_types_loaded(aws->types)) {
        log_info("the AWS provider is ready", "s:region", aws_client_region(aws->client),
                 "s:cluster", cluster_discovery_facts(aws->discovery)->name, "s:kubernetes",
                 cluster_discovery_facts(aws->discovery)->version);
        aws->ready.done(aws->ready.context);
        return;
    }
    log_error("the AWS provider cannot start yet", "s:doing", "loading instance types", "s:error",
              error != NULL ? error->message : "EC2 told none", "d:retry-after", aws->types_delay);
    timer_start(aws->types_retry, aws->types_delay);
    aws->types_delay = ns_multiply(2, aws->types_delay);
    if (aws->types_delay > TYPES_RETRY_MAX)
        aws->types_delay = TYPES_RETRY_MAX;
}

static void load_types(void *context)
{
    struct aws_cloud *aws = context;
    ec2_types_refresh(aws->types, aws->client, types_loaded, aws);
}

static void aws_prepare(struct cloud *cloud, void (*ready)(void *context), void *context)
{
    struct aws_cloud *aws = aws_of(cloud);
    assert(aws->ready.done == NULL);
    aws->ready.done = ready;
    aws->ready.context = context;
    cluster_discovery_begin(aws->discovery, load_types, aws);
}

// --- the port ------------------------------------------------------------------------------------

static void aws_create(struct cloud *cloud, const struct node_claim *claim,
                       machine_callback callback, void *context)
{
    aws_machines_launch(aws_of(cloud)->machines, claim, callback, context);
}

static void aws_delete(struct cloud *cloud, const char *provider_id, machine_callback callback,
                       void *context)
{
    aws_machines_delete(aws_of(cloud)->machines, provider_id, callback, context);
}

static void aws_get(struct cloud *cloud, const char *provider_id, machine_callback callback,
                    void *context)
{
    aws_machines_get(aws_of(cloud)->machines, provider_id, callback, context);
}

static void aws_list(struct cloud *cloud, machine_list_callback callback, void *context)
{
    aws_machines_list(aws_of(cloud)->machines, callback, context);
}

static const struct instance_type_catalog *aws_instance_types(struct cloud *cloud,
                                                              const struct node_pool *pool,
                                                              struct error *error)
{
    return aws_machines_instance_types(aws_of(cloud)->machines, pool, error);
}

static const char *aws_drift_reason(struct cloud *cloud, const struct node_claim *claim)
{
    const struct aws_cloud *aws = aws_of(cloud);
    const char *reason = aws_machines_drift_reason(aws->machines, claim);
    return reason == NULL && aws->interruption != NULL
               ? interruption_drift_reason(aws->interruption, claim)
               : reason;
}

// AWI-450.
static const struct repair_policy *aws_repair_policies(struct cloud *cloud, uint32_t *count)
{
    static const struct repair_policy policies[] = {
        {"Ready", "False", 30 * MINUTE},
        {"Ready", "Unknown", 30 * MINUTE},
        {"AcceleratedHardwareReady", "False", 10 * MINUTE},
        {"StorageReady", "False", 30 * MINUTE},
        {"NetworkingReady", "False", 30 * MINUTE},
        {"KernelReady", "False", 30 * MINUTE},
        {"ContainerRuntimeReady", "False", 30 * MINUTE},
    };
    (void)cloud;
    *count = ARRAY_LENGTH(policies);
    return policies;
}

static const char *const *aws_well_known_labels(struct cloud *cloud)
{
    (void)cloud;
    return ec2_well_known_labels;
}

static const struct cloud_operations aws_operations = {
    .prepare = aws_prepare,
    .create = aws_create,
    .delete = aws_delete,
    .get = aws_get,
    .list = aws_list,
    .instance_types = aws_instance_types,
    .drift_reason = aws_drift_reason,
    .repair_policies = aws_repair_policies,
    .well_known_labels = aws_well_known_labels,
    .destroy = aws_destroy,
};

// --- reconcilers ---------------------------------------------------------------------------------

#define VERSION_INTERVAL (5 * MINUTE) // AWN-503
#define VERSION_KEY      "version"

struct aws_reconcilers {
    struct aws_cloud *aws;
    struct node_class_controllers *node_classes;
    struct aws_controllers *controllers;
    struct interruption *interruption;
    struct manager *manager;
    struct reconcile_queue *version;
    int64_t version_asked; // monotonic; 0: never
    bool version_failed;
};

static struct reconcile_result refresh_version(void *context, struct work_item *item,
                                               struct error *error);

void *aws_cloud_reconcilers_create(struct manager *manager, struct cloud *cloud)
{
    struct aws_cloud *aws = aws_of(cloud);
    struct aws_reconcilers *reconcilers = memory_allocate(sizeof *reconcilers);
    reconcilers->aws = aws;
    reconcilers->manager = manager;
    aws->manager = manager;
    reconcilers->node_classes = node_class_controllers_create(
        manager, &(struct node_class_environment){
                     .client = aws->client,
                     .cluster = cluster_discovery_facts(aws->discovery),
                     .need_cidr = cluster_discovery_need_cidr,
                     .need_cidr_context = aws->discovery,
                     .types = aws->types,
                     .addresses = aws->addresses,
                     .reservations = aws->reservations,
                     .groups = aws->groups,
                     .templates = aws->templates,
                 });
    reconcilers->controllers =
        aws_controllers_create(manager, &(struct aws_controllers_environment){
                                            .client = aws->client,
                                            .cluster = cluster_discovery_facts(aws->discovery),
                                            .types = aws->types,
                                            .prices = aws->prices,
                                            .reservations = aws->reservations,
                                            .machines = aws->machines,
                                            .zonal_shift = aws->zonal_shift,
                                            .namespace = aws->environment.namespace,
                                            .cloud = cloud,
                                        });
    reconcilers->interruption = interruption_create(manager, &(struct interruption_environment){
                                                                 .client = aws->client,
                                                                 .unavailable = aws->unavailable,
                                                                 .reservations = aws->reservations,
                                                                 .cloud = cloud,
                                                             });
    aws->interruption = reconcilers->interruption;
    reconcilers->version =
        manager_queue(manager, &(struct reconcile_queue_options){.name = "providers.version",
                                                                 .reconcile = refresh_version,
                                                                 .context = reconcilers});
    reconcile_queue_add(reconcilers->version, VERSION_KEY);
    return reconcilers;
}

void aws_cloud_reconcilers_destroy(void *context)
{
    struct aws_reconcilers *reconcilers = context;
    reconcilers->aws->manager = NULL;
    reconcilers->aws->interruption = NULL;
    interruption_destroy(reconcilers->interruption);
    aws_controllers_destroy(reconcilers->controllers);
    node_class_controllers_destroy(reconcilers->node_classes);
    free(reconcilers);
}

// The version of the cluster, every five minutes (AWN-503).
struct version_operation {
    struct operation operation;
    struct aws_reconcilers *reconcilers;
};

static void version_refreshed(void *context, const struct error *error)
{
    struct version_operation *operation = context;
    static const struct error none = {.kind = ERROR_NONE};
    operation->reconcilers->version_failed = error != NULL;
    operation_end(&operation->operation, OPERATION_PASS, error != NULL ? error : &none);
}

static struct reconcile_result refresh_version(void *context, struct work_item *item,
                                               struct error *error)
{
    struct aws_reconcilers *reconcilers = context;
    int64_t now = loop_monotonic_ns(reconcilers->manager->loop);
    int64_t due = ns_add(reconcilers->version_asked, VERSION_INTERVAL);
    (void)error;
    if (reconcilers->version_asked != 0 && now < due && !reconcilers->version_failed)
        return reconcile_after(ns_subtract(due, now));
    reconcilers->version_asked = now;
    struct operation_about about = {.manager = reconcilers->manager,
                                    .item = item,
                                    .doing = "refreshing the version of the cluster"};
    struct version_operation *operation = operation_begin(&about, sizeof *operation);
    operation->reconcilers = reconcilers;
    cluster_discovery_refresh_version(reconcilers->aws->discovery, version_refreshed, operation);
    return reconcile_running();
}
