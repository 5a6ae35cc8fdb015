// The provider's reconcilers: tags, partitions, capacity blocks, zonal shifts, on virtual time.
#include "cloud/aws/provider_world.h"

#include <stdio.h>

#include "cloud/aws/cluster_discovery.h"
#include "cloud/aws/controllers/instance_tagging.h"
#include "cloud/aws/controllers/learned_capacity.h"
#include "cloud/aws/controllers/reservation_expiry.h"
#include "cloud/aws/controllers/zonal_shift_controller.h"
#include "cloud/aws/types/learned_memory.h"

struct scene {
    struct provider_world *world;
    struct cluster_facts cluster;
    struct cloud cloud;
    struct aws_controllers_environment environment;
};

static void open_scene(struct scene *scene)
{
    *scene = (struct scene){.world = world_open()};
    scene->cluster = (struct cluster_facts){.name = "test-cluster",
                                            .region = "us-west-2",
                                            .partition = "aws",
                                            .account = "111122223333"};
    scene->environment =
        (struct aws_controllers_environment){.client = scene->world->client,
                                             .cluster = &scene->cluster,
                                             .zonal_shift = zonal_shift_create(scene->world->loop),
                                             .cloud = &scene->cloud};
}

static void close_scene(struct scene *scene)
{
    zonal_shift_destroy(scene->environment.zonal_shift);
    world_close(scene->world);
}

static struct instance_tagging *open_tagging(struct scene *scene)
{
    open_scene(scene);
    world_begin(scene->world);
    return instance_tagging_create(&scene->world->manager, &scene->environment);
}

static void close_tagging(struct scene *scene, struct instance_tagging *tagging)
{
    instance_tagging_destroy(tagging);
    close_scene(scene);
}

static json_t *instance(const char *tags, int partition)
{
    json_t *json = json_pack("{s:[{s:[{s:s, s:{s:s, s:i}}]}]}", "Reservations", "Instances",
                             "InstanceId", "i-0abc", "Placement", "AvailabilityZoneId", "usw2-az1",
                             "PartitionNumber", partition);
    json_t *first = json_array_get(
        json_object_get(json_array_get(json_object_get(json, "Reservations"), 0), "Instances"), 0);
    json_t *list = world_json(tags);
    json_object_set(first, "Tags", json_object_get(list, "Tags"));
    json_decref(list);
    return json;
}

static void tags_AWN_465_466(void **state)
{
    (void)state;
    struct scene scene;
    struct instance_tagging *tagging = open_tagging(&scene);
    world_add(scene.world, world_claim_text("web-1", "i-0abc", "", ",'nodeName':'node-1'"));
    world_add(scene.world, world_claim_text("unregistered", "i-0def", "", ""));
    fake_aws_reply(scene.world->aws, EC2_DESCRIBE_INSTANCES,
                   instance("{'Tags':[{'Key':'Name','Value':'mine'},"
                            "{'Key':'eks:eks-cluster-name','Value':'test-cluster'}]}",
                            0));
    fake_aws_reply(scene.world->aws, EC2_CREATE_TAGS, json_object());
    world_lead(scene.world);
    loop_run_for(scene.world->loop, 5 * SECOND);
    assert_int_equal(fake_aws_calls(scene.world->aws, EC2_CREATE_TAGS), 1);
    json_t *expected = world_json("{'Resources':['i-0abc'],'Tags':[{'Key':'karpenter.sh/nodeclaim',"
                                  "'Value':'web-1'}]}");
    assert_true(json_equal(expected, (json_t *)fake_aws_last(scene.world->aws, EC2_CREATE_TAGS)));
    json_decref(expected);
    const struct object *claim = world_claim(scene.world, "web-1");
    assert_string_equal(object_annotation(claim, "karpenter.k8s.aws/tagged"), "true");
    assert_string_equal(
        object_annotation(claim, "compatibility.karpenter.k8s.aws/cluster-name-tagged"), "true");
    assert_int_equal(fake_aws_calls(scene.world->aws, EC2_DESCRIBE_INSTANCES), 1);
    close_tagging(&scene, tagging);
}

// While one waits for its turn, the others are described, and none twice.
static void many_instances_are_tagged_one_a_second_AWN_465(void **state)
{
    (void)state;
    struct scene scene;
    struct instance_tagging *tagging = open_tagging(&scene);
    world_add(scene.world, world_claim_text("web-1", "i-0abc", "", ",'nodeName':'node-1'"));
    world_add(scene.world, world_claim_text("web-2", "i-0def", "", ",'nodeName':'node-2'"));
    world_add(scene.world, world_claim_text("web-3", "i-0fff", "", ",'nodeName':'node-3'"));
    fake_aws_reply(scene.world->aws, EC2_DESCRIBE_INSTANCES, instance("{'Tags':[]}", 0));
    fake_aws_reply(scene.world->aws, EC2_CREATE_TAGS, json_object());
    world_lead(scene.world);
    loop_run_for(scene.world->loop, 20 * SECOND);
    assert_int_equal(fake_aws_calls(scene.world->aws, EC2_CREATE_TAGS), 3);
    assert_int_equal(fake_aws_calls(scene.world->aws, EC2_DESCRIBE_INSTANCES), 3);
    for (int i = 1; i <= 3; i++) {
        char name[10];
        snprintf(name, sizeof name, "web-%d", i);
        assert_string_equal(
            object_annotation(world_claim(scene.world, name), "karpenter.k8s.aws/tagged"), "true");
    }
    close_tagging(&scene, tagging);
}

static void partitions_AWN_153(void **state)
{
    (void)state;
    struct scene scene;
    struct instance_tagging *tagging = open_tagging(&scene);
    world_add(scene.world, world_claim_text("web-1", "i-0abc",
                                            ",'karpenter.k8s.aws/placement-group-id':'pg-1',"
                                            "'karpenter.k8s.aws/placement-group-partition':''",
                                            ""));
    fake_aws_reply_once(scene.world->aws, EC2_DESCRIBE_INSTANCES, instance("{'Tags':[]}", 0));
    fake_aws_reply(scene.world->aws, EC2_DESCRIBE_INSTANCES, instance("{'Tags':[]}", 3));
    world_lead(scene.world);
    loop_run_for(scene.world->loop, 20 * SECOND);
    assert_string_equal(object_label(world_claim(scene.world, "web-1"),
                                     "karpenter.k8s.aws/placement-group-partition"),
                        "3");
    assert_int_equal(fake_aws_calls(scene.world->aws, EC2_DESCRIBE_INSTANCES), 2);
    close_tagging(&scene, tagging);
}

static void capacity_blocks_end_AWI_610_611_945(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene);
    world_begin(scene.world);
    struct reservation_expiry *expiry =
        reservation_expiry_create(&scene.world->manager, &scene.environment);
    world_add(
        scene.world,
        world_claim_text("a", "i-1", ",'karpenter.k8s.aws/capacity-reservation-id':'cr-1'", ""));
    world_add(
        scene.world,
        world_claim_text("b", "i-2", ",'karpenter.k8s.aws/capacity-reservation-id':'cr-1'", ""));
    world_add(
        scene.world,
        world_claim_text("c", "i-3", ",'karpenter.k8s.aws/capacity-reservation-id':'cr-2'", ""));
    fake_aws_reply(
        scene.world->aws, EC2_DESCRIBE_CAPACITY_RESERVATIONS,
        world_json("{'CapacityReservations':[{'CapacityReservationId':'cr-1',"
                   "'ReservationType':'capacity-block','EndDate':'2026-01-01T00:45:00Z'},"
                   "{'CapacityReservationId':'cr-2','ReservationType':'default',"
                   "'EndDate':'2026-01-01T00:10:00Z'}]}"));
    world_lead(scene.world);
    loop_run_for(scene.world->loop, 30 * SECOND);
    assert_int_equal(fake_aws_calls(scene.world->aws, EC2_DESCRIBE_CAPACITY_RESERVATIONS), 1);
    assert_false(object_is_deleting(world_claim(scene.world, "a")));
    loop_run_for(scene.world->loop, 6 * MINUTE);
    assert_true(object_is_deleting(world_claim(scene.world, "a")));
    assert_true(object_is_deleting(world_claim(scene.world, "b")));
    assert_false(object_is_deleting(world_claim(scene.world, "c"))); // AWI-611
    reservation_expiry_destroy(expiry);
    close_scene(&scene);
}

static void zonal_shifts_are_told_AWI_650_654_943(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene);
    scene.world->settings.enable_zonal_shift = true;
    world_begin(scene.world);
    struct zonal_shift_controller *controller =
        zonal_shift_controller_create(&scene.world->manager, &scene.environment);
    world_add(scene.world,
              "{'apiVersion':'karpenter.sh/v1','kind':'NodePool','metadata':{'name':'default'},"
              "'spec':{'template':{'spec':{'nodeClassRef':{'group':'karpenter.k8s.aws',"
              "'kind':'EC2NodeClass','name':'default'},'requirements':[]}}}}");
    world_add(scene.world,
              "{'apiVersion':'karpenter.k8s.aws/v1','kind':'EC2NodeClass',"
              "'metadata':{'name':'default'},'spec':{'role':'r',"
              "'amiSelectorTerms':[{'alias':'al2023@latest'}],"
              "'subnetSelectorTerms':[{'id':'subnet-1'}],"
              "'securityGroupSelectorTerms':[{'id':'sg-1'}]},"
              "'status':{'subnets':[{'id':'subnet-1','zone':'us-west-2a','zoneID':'usw2-az1'}]}}");
    world_add(scene.world, // AWI-943: one without a NodeClass is no hindrance
              "{'apiVersion':'karpenter.sh/v1','kind':'NodePool','metadata':{'name':'a-lost-one'},"
              "'spec':{'template':{'spec':{'nodeClassRef':{'group':'karpenter.k8s.aws',"
              "'kind':'EC2NodeClass','name':'missing'},'requirements':[]}}}}");
    fake_aws_reply(scene.world->aws, ARC_ZONAL_SHIFT_GET_MANAGED_RESOURCE, json_object());
    fake_aws_reply_once(scene.world->aws, ARC_ZONAL_SHIFT_GET_MANAGED_RESOURCE,
                        world_json("{'zonalShifts':[{'awayFrom':'usw2-az1',"
                                   "'expiryTime':'2026-01-01T01:00:00Z',"
                                   "'appliedStatus':'APPLIED'}]}"));
    world_lead(scene.world);
    loop_run_for(scene.world->loop, 10 * SECOND);
    assert_true(zonal_shift_has(scene.environment.zonal_shift, "usw2-az1"));
    assert_int_equal(world_events(scene.world, "ZonalShiftActive"), 1);
    assert_string_equal(json_string_value(json_object_get(
                            fake_aws_last(scene.world->aws, ARC_ZONAL_SHIFT_GET_MANAGED_RESOURCE),
                            "resourceIdentifier")),
                        "arn:aws:eks:us-west-2:111122223333:cluster/test-cluster");
    loop_run_for(scene.world->loop, 30 * SECOND);
    assert_false(zonal_shift_has(scene.environment.zonal_shift, "usw2-az1"));
    assert_int_equal(world_events(scene.world, "ZonalShiftCleared"), 1);
    zonal_shift_controller_destroy(controller);
    close_scene(&scene);
}

static void no_shift_unless_asked_for_AWI_650(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene);
    world_begin(scene.world);
    struct zonal_shift_controller *controller =
        zonal_shift_controller_create(&scene.world->manager, &scene.environment);
    world_lead(scene.world);
    loop_run_for(scene.world->loop, 5 * MINUTE);
    assert_int_equal(fake_aws_calls(scene.world->aws, ARC_ZONAL_SHIFT_GET_MANAGED_RESOURCE), 0);
    assert_int_equal(fake_aws_calls(scene.world->aws, EKS_DESCRIBE_CLUSTER), 0);
    zonal_shift_controller_destroy(controller);
    close_scene(&scene);
}

// The account is not known: EKS tells the ARN, once.
static void arn_of_the_cluster_AWI_650(void **state)
{
    (void)state;
    static const char arn[] = "arn:aws:eks:us-west-2:444455556666:cluster/test-cluster";
    struct scene scene;
    open_scene(&scene);
    scene.cluster.account = NULL;
    scene.world->settings.enable_zonal_shift = true;
    world_begin(scene.world);
    struct zonal_shift_controller *controller =
        zonal_shift_controller_create(&scene.world->manager, &scene.environment);
    fake_aws_reply(scene.world->aws, EKS_DESCRIBE_CLUSTER,
                   json_pack("{s:{s:s}}", "cluster", "arn", arn));
    fake_aws_reply(scene.world->aws, ARC_ZONAL_SHIFT_GET_MANAGED_RESOURCE, json_object());
    world_lead(scene.world);
    loop_run_for(scene.world->loop, 5 * MINUTE);
    assert_int_equal(fake_aws_calls(scene.world->aws, EKS_DESCRIBE_CLUSTER), 1);
    const json_t *sent = fake_aws_last(scene.world->aws, ARC_ZONAL_SHIFT_GET_MANAGED_RESOURCE);
    assert_string_equal(json_string_value(json_object_get(sent, "resourceIdentifier")), arn);
    zonal_shift_controller_destroy(controller);
    close_scene(&scene);
}

// Not enabled for zonal shift: adze goes on, says so, and asks again (AWI-942).
static void a_cluster_without_zonal_shift_AWI_650_942(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene);
    scene.world->settings.enable_zonal_shift = true;
    world_begin(scene.world);
    struct zonal_shift_controller *controller =
        zonal_shift_controller_create(&scene.world->manager, &scene.environment);
    world_add(scene.world,
              "{'apiVersion':'karpenter.sh/v1','kind':'NodePool','metadata':{'name':'default'},"
              "'spec':{'template':{'spec':{'nodeClassRef':{'group':'karpenter.k8s.aws',"
              "'kind':'EC2NodeClass','name':'default'},'requirements':[]}}}}");
    fake_aws_error(scene.world->aws, ARC_ZONAL_SHIFT_GET_MANAGED_RESOURCE, 404,
                   "ResourceNotFoundException", "the cluster is not enabled for zonal shift");
    world_lead(scene.world);
    loop_run_for(scene.world->loop, 10 * SECOND);
    assert_true(world_events(scene.world, "ZonalShiftUnavailable") > 0);
    assert_false(zonal_shift_has(scene.environment.zonal_shift, "usw2-az1"));
    fake_aws_reply(scene.world->aws, ARC_ZONAL_SHIFT_GET_MANAGED_RESOURCE,
                   world_json("{'zonalShifts':[{'awayFrom':'usw2-az1',"
                              "'expiryTime':'2026-01-01T01:00:00Z','appliedStatus':'APPLIED'}]}"));
    loop_run_for(scene.world->loop, 2 * MINUTE);
    assert_true(zonal_shift_has(scene.environment.zonal_shift, "usw2-az1"));
    zonal_shift_controller_destroy(controller);
    close_scene(&scene);
}

// --- what is kept across restarts ----------------------------------------------------------------

struct types_of_scene {
    struct ec2_prices *prices;
    struct ec2_types *types;
};

static void open_types(struct scene *scene, struct types_of_scene *types)
{
    struct loop *loop = scene->world->loop;
    types->prices =
        ec2_prices_create(&(struct ec2_prices_options){.loop = loop, .region = "us-west-2"});
    types->types = ec2_types_create(&(struct ec2_types_options){.loop = loop,
                                                                .settings = &scene->world->settings,
                                                                .region = "us-west-2",
                                                                .prices = types->prices});
    scene->environment.types = types->types;
}

static void close_types(struct types_of_scene *types)
{
    ec2_types_destroy(types->types);
    ec2_prices_destroy(types->prices);
}

static json_t *learned_config_map(const char *namespace)
{
    struct loop *loop = loop_create_virtual(WORLD_START_NS);
    struct learned_memory *memory = learned_memory_create(loop);
    learned_memory_note(memory, "m5.large", "ami-1", "AL2023", INT64_C(7900000000));
    json_t *value = learned_memory_encode(memory);
    char *text = json_dumps(value, JSON_COMPACT);
    json_t *object = json_pack("{s:s, s:s, s:{s:s, s:s}, s:{s:s}}", "apiVersion", "v1", "kind",
                               "ConfigMap", "metadata", "name", LEARNED_CAPACITY_NAME, "namespace",
                               namespace, "data", "memory", text);
    free(text);
    json_decref(value);
    learned_memory_destroy(memory);
    loop_destroy(loop);
    return object;
}

// In the controller's namespace, or in kube-system; read once it leads.
static void learned_memory_is_read_again_AWI_906(void **state)
{
    (void)state;
    static const char *const namespaces[] = {"kube-system", "default"};
    for (size_t i = 0; i < ARRAY_LENGTH(namespaces); i++) {
        struct scene scene;
        struct types_of_scene types;
        struct error error = {0};
        open_scene(&scene);
        json_t *object = learned_config_map(namespaces[i]);
        assert_non_null(store_add(scene.world->store, world_resource(scene.world, object),
                                  namespaces[i], object, &error));
        json_decref(object);
        open_types(&scene, &types);
        scene.environment.namespace = i == 0 ? NULL : namespaces[i];
        world_begin(scene.world);
        struct learned_capacity *capacity =
            learned_capacity_create(&scene.world->manager, &scene.environment);
        world_lead(scene.world);
        loop_run_for(scene.world->loop, 5 * SECOND);
        json_t *learned = ec2_types_learned_encode(types.types);
        char *text = json_dumps(learned, JSON_COMPACT);
        assert_non_null(strstr(text, "7900000000"));
        free(text);
        json_decref(learned);
        learned_capacity_destroy(capacity);
        close_types(&types);
        close_scene(&scene);
    }
}

// --- settings of the cluster ---------------------------------------------------------------------

static void range_of_services_AWN_707(void **state)
{
    (void)state;
    static const char *const wrong[] = {"10.100.0.0", "10.100.0.0/33", "nowhere/16", "fd00::/129"};
    struct scene scene;
    struct error error = {0};
    open_scene(&scene);
    world_begin(scene.world);
    struct cluster_discovery_options options = {.loop = scene.world->loop,
                                                .client = scene.world->client,
                                                .kube = scene.world->kube,
                                                .settings = &scene.world->settings};
    scene.world->settings.service_cidr = "fd00:10::/108";
    struct cluster_discovery *discovery = cluster_discovery_create(&options, &error);
    assert_non_null(discovery);
    assert_string_equal(cluster_discovery_facts(discovery)->cidr, "fd00:10::/108");
    cluster_discovery_destroy(discovery);
    for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++) {
        scene.world->settings.service_cidr = wrong[i];
        assert_null(cluster_discovery_create(&options, &error));
        assert_non_null(strstr(error.message, "SERVICE_CIDR"));
    }
    close_scene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_AWN_465_466),
        cmocka_unit_test(many_instances_are_tagged_one_a_second_AWN_465),
        cmocka_unit_test(partitions_AWN_153),
        cmocka_unit_test(capacity_blocks_end_AWI_610_611_945),
        cmocka_unit_test(learned_memory_is_read_again_AWI_906),
        cmocka_unit_test(range_of_services_AWN_707),
        cmocka_unit_test(no_shift_unless_asked_for_AWI_650),
        cmocka_unit_test(zonal_shifts_are_told_AWI_650_654_943),
        cmocka_unit_test(arn_of_the_cluster_AWI_650),
        cmocka_unit_test(a_cluster_without_zonal_shift_AWI_650_942),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
