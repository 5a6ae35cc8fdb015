// Reconcilers of the provider by their rules (AWI-3, 20 to 24, 208, 425, 700 to 720, 962).
#include "cloud/aws/provider_world.h"

#include <stdio.h>

#include "cloud/aws/aws_cloud.h"
#include "cloud/aws/controllers/instance_tagging.h"
#include "cloud/aws/controllers/learned_capacity.h"
#include "cloud/aws/controllers/offering_metrics.h"
#include "cloud/aws/controllers/refreshes.h"
#include "cloud/aws/controllers/reservation_demotion.h"
#include "cloud/aws/controllers/zonal_shift_controller.h"
#include "cloud/port/cloud.h"
#include "model/reading/catalog.h"
#include "model/schema/pack.h"
#include "sim/aws/aws_account.h"

struct scene {
    struct cloud cloud; // first: fake_types() casts it
    struct provider_world *world;
    struct cluster_facts cluster;
    struct aws_controllers_environment environment;
    struct unavailable_offerings *unavailable;
    struct reservation_counts *reservations;
    struct placement_groups *groups;
    uint32_t failing; // NodePools whose types cannot be listed
    const char *dear; // the NodePool whose offerings cost twice as much; NULL: none
};

// A copy with doubled prices.
static const struct instance_type_catalog *doubled(const struct instance_type_catalog *catalog)
{
    struct instance_type_catalog *copy =
        (struct instance_type_catalog *)object_copy((const struct object *)catalog);
    list_for_each (type, &copy->spec.instance_types)
        list_for_each (offering, &type->offerings)
            ((struct offering *)offering)->price *= 2;
    object_release((const struct object *)catalog);
    return copy;
}

static const struct instance_type_catalog *fake_types(struct cloud *cloud,
                                                      const struct node_pool *pool,
                                                      struct error *error)
{
    struct scene *scene = (struct scene *)cloud;
    if (strcmp(pool->meta.name, "broken") == 0) {
        scene->failing++;
        error_set(error, ERROR_UNAVAILABLE, "no types");
        return NULL;
    }
    const struct object *node_class =
        mirror_get(scene->world->mirror, KIND_EC2_NODE_CLASS, NULL, pool->meta.name);
    assert_non_null(node_class);
    const struct instance_type_catalog *catalog =
        ec2_types_for(scene->environment.types, (const struct ec2_node_class *)node_class, error);
    return text_equal(pool->meta.name, scene->dear) ? doubled(catalog) : catalog;
}

static const struct cloud_operations fake_operations = {.instance_types = fake_types};

static void open_scene(struct scene *scene, bool upstream)
{
    *scene = (struct scene){.cloud = {.operations = &fake_operations}, .world = world_open()};
    struct provider_world *world = scene->world;
    world->settings.compatibility_upstream = upstream;
    world->settings.gate_reserved_capacity = true;
    world->settings.metrics_full = true;
    world_begin(world);
    scene->cluster = (struct cluster_facts){.name = "test-cluster", .region = "us-west-2"};
    scene->unavailable =
        unavailable_offerings_create(&(struct unavailable_options){.loop = world->loop});
    scene->reservations = reservation_counts_create(world->loop);
    scene->groups = placement_groups_create();
    struct ec2_prices *prices = ec2_prices_create(&(struct ec2_prices_options){
        .loop = world->loop, .region = "us-west-2", .upstream = upstream});
    scene->environment = (struct aws_controllers_environment){
        .client = world->client,
        .cluster = &scene->cluster,
        .types = ec2_types_create(&(struct ec2_types_options){.loop = world->loop,
                                                              .settings = &world->settings,
                                                              .region = "us-west-2",
                                                              .prices = prices,
                                                              .unavailable = scene->unavailable,
                                                              .reservations = scene->reservations,
                                                              .groups = scene->groups}),
        .prices = prices,
        .reservations = scene->reservations,
        .zonal_shift = zonal_shift_create(world->loop),
        .cloud = &scene->cloud};
}

static void close_scene(struct scene *scene)
{
    ec2_types_destroy(scene->environment.types);
    ec2_prices_destroy(scene->environment.prices);
    zonal_shift_destroy(scene->environment.zonal_shift);
    unavailable_offerings_destroy(scene->unavailable);
    reservation_counts_destroy(scene->reservations);
    placement_groups_destroy(scene->groups);
    world_close(scene->world);
}

static uint32_t calls(const struct scene *scene, enum aws_action action)
{
    return fake_aws_calls(scene->world->aws, action);
}

static void refreshes_AWI_3_208(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, true);
    struct fake_aws *aws = scene.world->aws;
    struct refreshes *refreshes = refreshes_create(&scene.world->manager, &scene.environment);
    fake_aws_reply(aws, EC2_DESCRIBE_INSTANCE_TYPE_OFFERINGS, json_object());
    fake_aws_error_once(aws, EC2_DESCRIBE_INSTANCE_TYPES, 403, "UnauthorizedOperation", "no");
    fake_aws_reply(aws, EC2_DESCRIBE_INSTANCE_TYPES, json_object());
    fake_aws_error_once(aws, EC2_DESCRIBE_SPOT_PRICE_HISTORY, 403, "UnauthorizedOperation", "no");
    fake_aws_reply(aws, EC2_DESCRIBE_SPOT_PRICE_HISTORY,
                   world_json("{'SpotPriceHistory':[{'InstanceType':'m5.large',"
                              "'AvailabilityZone':'us-west-2a','SpotPrice':'0.03',"
                              "'Timestamp':'2026-01-01T00:00:00Z'}]}"));
    fake_aws_reply(aws, PRICING_GET_PRODUCTS,
                   json_pack("{s:[s]}", "PriceList",
                             "{\"product\":{\"attributes\":{\"instanceType\":\"m5.large\"}},"
                             "\"terms\":{\"OnDemand\":{\"t\":{\"priceDimensions\":{\"d\":{"
                             "\"pricePerUnit\":{\"USD\":\"0.1\"}}}}}}}"));
    world_lead(scene.world); // at once, and after a failure both again
    loop_run_for(scene.world->loop, 30 * SECOND);
    assert_int_equal(calls(&scene, EC2_DESCRIBE_INSTANCE_TYPES), 2);
    assert_int_equal(calls(&scene, EC2_DESCRIBE_INSTANCE_TYPE_OFFERINGS), 2);
    assert_int_equal(calls(&scene, EC2_DESCRIBE_SPOT_PRICE_HISTORY), 2);
    assert_int_equal(calls(&scene, PRICING_GET_PRODUCTS), 4); // two queries each
    loop_run_for(scene.world->loop, 11 * HOUR);
    assert_int_equal(calls(&scene, EC2_DESCRIBE_INSTANCE_TYPES), 2);
    assert_int_equal(calls(&scene, EC2_DESCRIBE_SPOT_PRICE_HISTORY), 2);
    loop_run_for(scene.world->loop, HOUR + MINUTE);
    assert_int_equal(calls(&scene, EC2_DESCRIBE_INSTANCE_TYPES), 3);
    assert_int_equal(calls(&scene, EC2_DESCRIBE_SPOT_PRICE_HISTORY), 3);
    assert_int_equal(calls(&scene, PRICING_GET_PRODUCTS), 6);
    refreshes_destroy(refreshes);
    close_scene(&scene);
}

static void no_tags_in_shifted_zones_AWI_425_653(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, false);
    json_t *shift = world_json("{'zonalShifts':[{'awayFrom':'usw2-az1','expiryTime':"
                               "'2026-01-01T01:00:00Z','appliedStatus':'APPLIED'}]}");
    zonal_shift_update(scene.environment.zonal_shift, shift);
    json_decref(shift);
    struct instance_tagging *tagging =
        instance_tagging_create(&scene.world->manager, &scene.environment);
    world_add(scene.world, world_claim_text("web-1", "i-0abc", "", ",'nodeName':'node-1'"));
    fake_aws_reply(scene.world->aws, EC2_DESCRIBE_INSTANCES,
                   world_json("{'Reservations':[{'Instances':[{'InstanceId':'i-0abc','Placement':{"
                              "'AvailabilityZoneId':'usw2-az1'}}]}]}"));
    fake_aws_reply(scene.world->aws, EC2_CREATE_TAGS, json_object());
    world_lead(scene.world);
    loop_run_for(scene.world->loop, 20 * SECOND);
    assert_true(calls(&scene, EC2_DESCRIBE_INSTANCES) > 0);
    assert_int_equal(calls(&scene, EC2_CREATE_TAGS), 0);
    instance_tagging_destroy(tagging);
    close_scene(&scene);
}

// --- types ---------------------------------------------------------------------------------------

static void add_class(struct scene *scene, const char *name, const char *zone)
{
    char text[900];
    snprintf(text, sizeof text,
             "{'apiVersion':'karpenter.k8s.aws/v1','kind':'EC2NodeClass','metadata':{'name':'%s'},"
             "'spec':{'role':'r','amiSelectorTerms':[{'alias':'al2023@latest'}],"
             "'subnetSelectorTerms':[{'id':'subnet-1'}],"
             "'securityGroupSelectorTerms':[{'id':'sg-1'}]},'status':{'amis':[{'id':'ami-1',"
             "'requirements':[{'key':'kubernetes.io/arch','operator':'In','values':['amd64']}]}],"
             "'subnets':[{'id':'subnet-1','zone':'%s','zoneID':'usw2-az1'}]}}",
             name, zone);
    world_add(scene->world, text);
}

static void add_pool(struct scene *scene, const char *name)
{
    char text[400];
    snprintf(text, sizeof text,
             "{'apiVersion':'karpenter.sh/v1','kind':'NodePool','metadata':{'name':'%s'},"
             "'spec':{'template':{'spec':{'nodeClassRef':{'group':'karpenter.k8s.aws',"
             "'kind':'EC2NodeClass','name':'%s'},'requirements':[]}}}}",
             name, name);
    world_add(scene->world, text);
}

static void use_types(struct scene *scene, const char *other)
{
    char text[1200];
    snprintf(text, sizeof text,
             "{'InstanceTypes':[{'InstanceType':'m5.large','SupportedUsageClasses':['on-demand'],"
             "'ProcessorInfo':{'SupportedArchitectures':['x86_64']},'VCpuInfo':{'DefaultVCpus':2},"
             "'MemoryInfo':{'SizeInMiB':8192}},{'InstanceType':'%s','SupportedUsageClasses':["
             "'on-demand'],'ProcessorInfo':{'SupportedArchitectures':['x86_64']},'VCpuInfo':{"
             "'DefaultVCpus':4},'MemoryInfo':{'SizeInMiB':1024}}]}",
             other);
    json_t *types = world_json(text);
    json_t *offerings = world_json(
        "{'InstanceTypeOfferings':[{'InstanceType':'m5.large','LocationType':'availability-zone',"
        "'Location':'us-west-2a'},{'InstanceType':'m5.large','LocationType':'availability-zone',"
        "'Location':'us-west-2b'}]}");
    ec2_types_use_replies(scene->environment.types, types, offerings);
    json_decref(types);
    json_decref(offerings);
}

static double gauge(struct scene *scene, const char *name, const char *type, const char *capacity,
                    const char *zone)
{
    char full[100];
    snprintf(full, sizeof full, "karpenter_cloudprovider_instance_type_%s", name);
    struct metric *metric = metrics_find(scene->world->metrics, full);
    assert_non_null(metric);
    return capacity != NULL ? metric_read(metric, type, capacity, zone) : metric_read(metric, type);
}

static void gauges_of_types_AWI_24_720_962(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, false);
    use_types(&scene, "x1.gone");
    struct offering_metrics *metrics =
        offering_metrics_create(&scene.world->manager, &scene.environment);
    add_class(&scene, "one", "us-west-2a");
    add_class(&scene, "two", "us-west-2b");
    add_pool(&scene, "one");
    add_pool(&scene, "two");
    add_pool(&scene, "broken"); // skipped, and the pass is retried
    world_lead(scene.world);
    loop_run_for(scene.world->loop, MINUTE);
    assert_true(scene.failing > 2);
    assert_int_equal(gauge(&scene, "cpu_cores", "m5.large", NULL, NULL), 2); // AWI-700
    assert_int_equal(gauge(&scene, "memory_bytes", "m5.large", NULL, NULL),
                     INT64_C(8192) << 20); // AWI-701: unreduced
    // AWI-702: available if it is to any NodePool.
    assert_int_equal(gauge(&scene, "offering_available", "m5.large", "on-demand", "us-west-2a"), 1);
    assert_int_equal(gauge(&scene, "offering_available", "m5.large", "on-demand", "us-west-2b"), 1);
    assert_int_equal(gauge(&scene, "offering_available", "x1.gone", "on-demand", "us-west-2a"), 0);
    double price = gauge(&scene, "offering_price_estimate", "m5.large", "on-demand", "us-west-2a");
    assert_true(price > 0.0959 && price < 0.0961);
    assert_int_equal(gauge(&scene, "offering_available", "m5.large", "reserved", "us-west-2a"), 0);
    assert_int_equal(gauge(&scene, "cpu_cores", "x1.gone", NULL, NULL), 4);
    // AWI-962: types that are gone have no series.
    use_types(&scene, "x1.new");
    loop_run_for(scene.world->loop, 20 * MINUTE);
    assert_int_equal(gauge(&scene, "cpu_cores", "x1.gone", NULL, NULL), 0);
    assert_int_equal(gauge(&scene, "cpu_cores", "x1.new", NULL, NULL), 4);
    offering_metrics_destroy(metrics);
    close_scene(&scene);
}

// METRICS_PROFILE=compact: how many offerings there are, and none of them alone.
static void totals_of_offerings_LIF_468(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, false);
    scene.world->settings.metrics_full = false;
    use_types(&scene, "x1.gone");
    struct offering_metrics *metrics =
        offering_metrics_create(&scene.world->manager, &scene.environment);
    add_class(&scene, "one", "us-west-2a");
    add_pool(&scene, "one");
    world_lead(scene.world);
    loop_run_for(scene.world->loop, MINUTE);
    const struct metric *total = metrics_find(scene.world->manager.registry, "adze_offerings");
    assert_true(metric_read(total, "on-demand", "us-west-2a", "true") >= 1);
    assert_true(metric_read(total, "on-demand", "us-west-2a", "false") >= 1);
    static const char *const single[] = {
        "karpenter_cloudprovider_instance_type_cpu_cores",
        "karpenter_cloudprovider_instance_type_memory_bytes",
        "karpenter_cloudprovider_instance_type_offering_available",
        "karpenter_cloudprovider_instance_type_offering_price_estimate"};
    for (size_t i = 0; i < ARRAY_LENGTH(single); i++)
        assert_int_equal(
            metric_series_count(metrics_find(scene.world->manager.registry, single[i])), 0);
    offering_metrics_destroy(metrics);
    close_scene(&scene);
}

static double price_of(struct scene *scene)
{
    return gauge(scene, "offering_price_estimate", "m5.large", "on-demand", "us-west-2a");
}

// The first and the last NodePool that a pass reads.
static void pools_in_order(const struct scene *scene, const char *names[2])
{
    struct mirror_iterator iterator = {0};
    uint32_t count = 0;
    for (const struct object *pool;
         (pool = mirror_next(scene->world->mirror, KIND_NODE_POOL, &iterator)) != NULL;)
        names[count++ == 0 ? 0 : 1] = pool->meta.name;
    assert_int_equal(count, 2);
}

// Two NodePools with prices of their own: the lowest, or upstream's, that of the last one read.
// Upstream's series of types that are gone stay.
static void prices_of_several_pools(bool upstream)
{
    struct scene scene;
    const char *names[2];
    open_scene(&scene, upstream);
    use_types(&scene, "x1.gone");
    struct offering_metrics *metrics =
        offering_metrics_create(&scene.world->manager, &scene.environment);
    add_class(&scene, "one", "us-west-2a");
    add_class(&scene, "two", "us-west-2a");
    add_pool(&scene, "one");
    add_pool(&scene, "two");
    world_lead(scene.world);
    loop_run_for(scene.world->loop, 10 * SECOND);
    pools_in_order(&scene, names);
    double low = price_of(&scene);
    assert_true(low > 0.0959 && low < 0.0961);
    for (int dear = 0; dear < 2; dear++) {
        scene.dear = names[dear];
        loop_run_for(scene.world->loop, 50 * SECOND); // a pass each minute
        if (dear == 0)
            assert_true(price_of(&scene) == low);
        loop_run_for(scene.world->loop, 11 * SECOND);
        assert_true(price_of(&scene) == (upstream && dear == 1 ? 2 * low : low));
    }
    use_types(&scene, "x1.new");
    loop_run_for(scene.world->loop, 20 * MINUTE);
    assert_int_equal(gauge(&scene, "cpu_cores", "x1.gone", NULL, NULL), upstream ? 4 : 0);
    assert_int_equal(gauge(&scene, "cpu_cores", "x1.new", NULL, NULL), 4);
    offering_metrics_destroy(metrics);
    close_scene(&scene);
}

static void prices_of_several_pools_AWI_720_962(void **state)
{
    (void)state;
    prices_of_several_pools(false);
    prices_of_several_pools(true);
}

static int64_t memory_of(struct scene *scene)
{
    struct error error = {0};
    const struct object *node_class =
        mirror_get(scene->world->mirror, KIND_EC2_NODE_CLASS, NULL, "default");
    const struct instance_type_catalog *all =
        ec2_types_for(scene->environment.types, (const struct ec2_node_class *)node_class, &error);
    assert_non_null(all);
    int64_t memory =
        resource_map_get(&instance_type_catalog_find(all, "m5.large")->capacity, "memory");
    object_release((const struct object *)all);
    return memory;
}

static void memory_of_registered_nodes_AWI_20_21(void **state)
{
    (void)state;
    static const char *const images[] = {"ami-other", "ami-1"};
    for (int i = 0; i < 2; i++) {
        struct scene scene;
        char more[60];
        open_scene(&scene, true);
        use_types(&scene, "x1.large");
        struct learned_capacity *capacity =
            learned_capacity_create(&scene.world->manager, &scene.environment);
        add_class(&scene, "default", "us-west-2a");
        snprintf(more, sizeof more, "%s", images[i]);
        json_t *claim = world_json(world_claim_text("web-1", "i-0abc", "", ""));
        json_object_set_new(json_object_get(claim, "status"), "imageID", json_string(more));
        char *text = json_dumps(claim, JSON_COMPACT);
        world_add(scene.world, text);
        free(text);
        json_decref(claim);
        json_t *node = world_json(
            world_node_text("node", "i-0abc",
                            ",'karpenter.k8s.aws/ec2nodeclass':'default',"
                            "'karpenter.sh/registered':'true','kubernetes.io/arch':'amd64',"
                            "'node.kubernetes.io/instance-type':'m5.large'"));
        json_object_set_new(node, "status",
                            json_pack("{s:{s:s}}", "capacity", "memory", "7919612Ki"));
        text = json_dumps(node, JSON_COMPACT);
        world_add(scene.world, text);
        free(text);
        json_decref(node);
        world_lead(scene.world);
        loop_run_for(scene.world->loop, 5 * SECOND);
        // Only of the image that the class has for the Node's labels.
        assert_int_equal(memory_of(&scene), i == 0 ? INT64_C(7577) << 20 : INT64_C(7919612) << 10);
        learned_capacity_destroy(capacity);
        close_scene(&scene);
    }
}

// --- reservations --------------------------------------------------------------------------------

#define RESERVED                                               \
    ",'karpenter.sh/capacity-type':'reserved',"                \
    "'karpenter.k8s.aws/capacity-reservation-id':'cr-1',"      \
    "'karpenter.k8s.aws/capacity-reservation-type':'default'," \
    "'karpenter.k8s.aws/capacity-reservation-interruptible':'false'"
#define INSTANCE(id, more)                                                         \
    "{'InstanceId':'" id "','State':{'Name':'running'},'InstanceType':'m5.large'," \
    "'Placement':{'AvailabilityZone':'us-west-2a'}" more "}"
#define IN_RESERVATION                                                    \
    ",'CapacityReservationId':'cr-1','CapacityReservationSpecification':" \
    "{'CapacityReservationPreference':'capacity-reservations-only'}"

static void reply_instances(struct scene *scene, const char *instances)
{
    char text[900];
    snprintf(text, sizeof text, "{'Reservations':[{'Instances':[%s]}]}", instances);
    fake_aws_reply(scene->world->aws, EC2_DESCRIBE_INSTANCES, world_json(text));
}

static void expect_on_demand(const struct scene *scene, enum kind_id kind, const char *name,
                             bool demoted, bool upstream)
{
    const struct object *object = mirror_get(scene->world->mirror, kind, NULL, name);
    assert_non_null(object);
    const char *id = object_label(object, "karpenter.k8s.aws/capacity-reservation-id");
    const char *type = object_label(object, "karpenter.k8s.aws/capacity-reservation-type");
    const char *third =
        object_label(object, "karpenter.k8s.aws/capacity-reservation-interruptible");
    assert_string_equal(object_label(object, "karpenter.sh/capacity-type"),
                        demoted ? "on-demand" : "reserved");
    assert_int_equal(id == NULL, demoted);
    assert_int_equal(type == NULL, demoted);
    assert_int_equal(third == NULL, demoted && !upstream); // AWI-940
}

static void demotion(bool upstream)
{
    struct scene scene;
    open_scene(&scene, upstream);
    struct provider_world *world = scene.world;
    struct aws_machines *machines =
        aws_machines_create(&(struct aws_machines_environment){.loop = world->loop,
                                                               .client = world->client,
                                                               .mirror = world->mirror,
                                                               .settings = &world->settings,
                                                               .cluster = &scene.cluster,
                                                               .types = scene.environment.types,
                                                               .unavailable = scene.unavailable,
                                                               .reservations = scene.reservations,
                                                               .groups = scene.groups});
    scene.environment.machines = machines;
    struct reservation_demotion *demotion =
        reservation_demotion_create(&world->manager, &scene.environment);
    world_add(world, world_claim_text("web-1", "i-1", RESERVED, ""));
    world_add(world, world_claim_text("web-2", "i-2", RESERVED, ""));
    world_add(world,
              world_node_text("node-1", "i-1", RESERVED ",'karpenter.sh/registered':'true'"));
    world_add(world, world_node_text("unregistered", "i-1", RESERVED));
    reply_instances(&scene, INSTANCE("i-1", "") "," INSTANCE("i-2", IN_RESERVATION));
    world_lead(world);
    loop_run_for(world->loop, 5 * SECOND);
    expect_on_demand(&scene, KIND_NODE_CLAIM, "web-1", true, upstream);
    expect_on_demand(&scene, KIND_NODE, "node-1", true, upstream);
    expect_on_demand(&scene, KIND_NODE, "unregistered", false, upstream);
    expect_on_demand(&scene, KIND_NODE_CLAIM, "web-2", false, upstream);
    reply_instances(&scene, INSTANCE("i-1", IN_RESERVATION) "," INSTANCE("i-2", ""));
    loop_run_for(world->loop, 50 * SECOND);
    expect_on_demand(&scene, KIND_NODE_CLAIM, "web-2", false, upstream);
    loop_run_for(world->loop, 15 * SECOND); // each minute
    expect_on_demand(&scene, KIND_NODE_CLAIM, "web-2", true, upstream);
    expect_on_demand(&scene, KIND_NODE_CLAIM, "web-1", true, upstream); // never back
    reservation_demotion_destroy(demotion);
    aws_machines_destroy(machines);
    close_scene(&scene);
}

static struct text logged;

static void keep_line(void *context, const char *line)
{
    (void)context;
    text_format(&logged, "%s\n", line);
}

// Conflicts are tried again soon, other failures with a backoff: neither waits for the next minute.
static void demotion_after(const struct sim_faults *faults, int64_t within_ns)
{
    struct scene scene;
    struct sim_faults none = {0};
    open_scene(&scene, false);
    struct provider_world *world = scene.world;
    struct aws_machines *machines =
        aws_machines_create(&(struct aws_machines_environment){.loop = world->loop,
                                                               .client = world->client,
                                                               .mirror = world->mirror,
                                                               .settings = &world->settings,
                                                               .cluster = &scene.cluster,
                                                               .types = scene.environment.types,
                                                               .unavailable = scene.unavailable,
                                                               .reservations = scene.reservations,
                                                               .groups = scene.groups});
    scene.environment.machines = machines;
    struct reservation_demotion *demotion =
        reservation_demotion_create(&world->manager, &scene.environment);
    world_add(world, world_claim_text("web-1", "i-1", RESERVED, ""));
    reply_instances(&scene, INSTANCE("i-1", ""));
    world_lead(world);
    sim_transport_set_faults(world->transport, faults);
    assert_true(log_configure(&(struct log_options){.level = LOG_DEBUG, .sink = keep_line}, NULL));
    loop_run_for(world->loop, 5 * SECOND);
    expect_on_demand(&scene, KIND_NODE_CLAIM, "web-1", false, false);
    sim_transport_set_faults(world->transport, &none);
    loop_run_for(world->loop, within_ns);
    expect_on_demand(&scene, KIND_NODE_CLAIM, "web-1", true, false);
    assert_true(log_configure(&(struct log_options){.level = LOG_NONE}, NULL));
    assert_non_null(strstr(logged.data, "\"level\":\"DEBUG\""));
    assert_non_null(strstr(logged.data, "updated capacity type for nodeclaims"));
    text_free(&logged);
    reservation_demotion_destroy(demotion);
    aws_machines_destroy(machines);
    close_scene(&scene);
}

static void demotions_that_fail_AWI_601(void **state)
{
    (void)state;
    demotion_after(&(struct sim_faults){.conflict = 1}, SECOND);
    demotion_after(&(struct sim_faults){.internal_error = 1}, 15 * SECOND);
}

static void reservations_that_ended_AWI_600_601_940(void **state)
{
    (void)state;
    demotion(false);
    demotion(true);
}

// --- the cloud -----------------------------------------------------------------------------------

static const char *no_variable(void *context, const char *name)
{
    (void)context, (void)name;
    return NULL;
}

static void repair_policies_AWI_450(void **state)
{
    (void)state;
    static const struct repair_policy expected[] = {
        {"Ready", "False", 30 * MINUTE},
        {"Ready", "Unknown", 30 * MINUTE},
        {"AcceleratedHardwareReady", "False", 10 * MINUTE},
        {"StorageReady", "False", 30 * MINUTE},
        {"NetworkingReady", "False", 30 * MINUTE},
        {"KernelReady", "False", 30 * MINUTE},
        {"ContainerRuntimeReady", "False", 30 * MINUTE},
    };
    struct provider_world *world = world_open();
    struct error error = {0};
    struct aws_account_options of_account = {
        .loop = world->loop, .cluster = "test-cluster", .catalogue = "m5\\.large"};
    struct aws_account *account = aws_account_create(&of_account, &error);
    assert_non_null(account);
    const struct provider_environment environment = {.loop = world->loop,
                                                     .client = world->kube,
                                                     .mirror = world->mirror,
                                                     .settings = &world->settings,
                                                     .metrics = world->metrics};
    struct cloud *cloud = aws_cloud_create(
        &(struct aws_cloud_options){.environment = &environment,
                                    .http = aws_account_http(account),
                                    .credentials = aws_credentials_fixed(&(struct aws_credentials){
                                        "AKIAFAKE", "fake-secret", NULL, INT64_MAX}),
                                    .region = "us-west-2",
                                    .variable = no_variable},
        &error);
    assert_non_null(cloud);
    uint32_t count = 0;
    const struct repair_policy *policies = cloud->operations->repair_policies(cloud, &count);
    assert_int_equal(count, ARRAY_LENGTH(expected));
    for (uint32_t i = 0; i < count; i++) {
        assert_string_equal(policies[i].condition_type, expected[i].condition_type);
        assert_string_equal(policies[i].bad_status, expected[i].bad_status);
        assert_int_equal(policies[i].toleration_ns, expected[i].toleration_ns);
    }
    cloud->operations->destroy(cloud);
    aws_account_destroy(account);
    world_begin(world);
    world_close(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refreshes_AWI_3_208),
        cmocka_unit_test(no_tags_in_shifted_zones_AWI_425_653),
        cmocka_unit_test(gauges_of_types_AWI_24_720_962),
        cmocka_unit_test(totals_of_offerings_LIF_468),
        cmocka_unit_test(prices_of_several_pools_AWI_720_962),
        cmocka_unit_test(demotions_that_fail_AWI_601),
        cmocka_unit_test(memory_of_registered_nodes_AWI_20_21),
        cmocka_unit_test(repair_policies_AWI_450),
        cmocka_unit_test(reservations_that_ended_AWI_600_601_940),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
