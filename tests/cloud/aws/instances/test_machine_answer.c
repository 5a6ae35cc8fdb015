// Instances as EC2 tells them, and the machine that the core is told (AWI-260 to 265, 400 to 418).
#include "cloud/aws/instances/machine_answer.h"

#include <string.h>

#include "base/text.h"
#include "cloud/aws/instances/launch_support.h"
#include "support/cmocka_all.h"

#define LABEL(key) "karpenter.k8s.aws/" key

static struct arena *arena;

static int setup(void **state)
{
    (void)state;
    arena = arena_create(4096);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_destroy(arena);
    return 0;
}

static struct aws_instance_facts facts_of(const char *text, bool reserved_capacity)
{
    struct aws_instance_facts facts;
    json_t *instance = json_loads(text, 0, NULL);
    assert_non_null(instance);
    assert_true(instance_facts_read(arena, instance, reserved_capacity, &facts));
    json_decref(instance);
    return facts;
}

static const char *capacity_type(const char *members, bool reserved_capacity)
{
    return facts_of(arena_format(arena, "{\"InstanceId\":\"i-1\"%s}", members), reserved_capacity)
        .capacity_type;
}

static void all_of_an_instance_is_read_AWI_400(void **state)
{
    (void)state;
    struct aws_instance_facts facts =
        facts_of("{\"InstanceId\":\"i-1\",\"State\":{\"Name\":\"running\"},\"ImageId\":\"ami-1\","
                 "\"InstanceType\":\"p5.48xlarge\",\"LaunchTime\":\"2026-01-01T00:00:00Z\","
                 "\"Placement\":{\"AvailabilityZone\":\"us-west-2a\",\"AvailabilityZoneId\":"
                 "\"usw2-az1\",\"PartitionNumber\":3},\"SubnetId\":\"subnet-a\","
                 "\"SecurityGroups\":[{\"GroupId\":\"sg-2\"},{\"GroupId\":\"sg-1\"}],"
                 "\"Tags\":[{\"Key\":\"b\",\"Value\":\"2\"},{\"Key\":\"a\",\"Value\":\"1\"}],"
                 "\"NetworkInterfaces\":[{\"InterfaceType\":\"efa\"},{\"InterfaceType\":"
                 "\"interface\"},{\"InterfaceType\":\"efa-only\"}]}",
                 true);
    assert_string_equal(facts.id, "i-1");
    assert_string_equal(facts.state, "running");
    assert_string_equal(facts.image_id, "ami-1");
    assert_string_equal(facts.instance_type, "p5.48xlarge");
    assert_string_equal(facts.zone, "us-west-2a");
    assert_string_equal(facts.zone_id, "usw2-az1");
    assert_string_equal(facts.subnet_id, "subnet-a");
    assert_string_equal(facts.security_groups.items[0], "sg-1");
    assert_string_equal(string_map_get(&facts.tags, "b"), "2");
    assert_string_equal(facts.tenancy, "default"); // when it is empty
    assert_int_equal(facts.launched, INT64_C(1767225600) * 1000000000);
    assert_int_equal(facts.partition, 3);
    assert_int_equal(facts.efa_count, 2); // AWI-265
    assert_false(instance_is_ending(&facts));
}

#define IN_RESERVATION(preference)           \
    ",\"CapacityReservationId\":\"cr-1\","   \
    "\"CapacityReservationSpecification\":{" \
    "\"CapacityReservationPreference\":\"" preference "\"}"

static void capacity_types_AWI_401(void **state)
{
    (void)state;
    assert_string_equal(capacity_type("", true), "on-demand");
    assert_string_equal(capacity_type(IN_RESERVATION("capacity-reservations-only"), true),
                        "reserved");
    assert_string_equal(capacity_type(IN_RESERVATION("capacity-reservations-only"), false),
                        "on-demand");
    assert_string_equal(capacity_type(IN_RESERVATION("open"), true), "on-demand"); // by chance
    assert_string_equal(capacity_type(",\"SpotInstanceRequestId\":\"sir-1\"" IN_RESERVATION(
                                          "capacity-reservations-only"),
                                      true),
                        "spot");
}

static void details_of_reservations_AWI_402(void **state)
{
    (void)state;
    static const struct {
        const char *lifecycle, *type;
        bool interruptible;
    } cases[] = {
        {"", "default", false},
        {",\"InstanceLifecycle\":\"capacity-block\"", "capacity-block", false},
        {",\"InstanceLifecycle\":\"interruptible-capacity-reservation\"", "default", true},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct aws_instance_facts facts =
            facts_of(arena_format(arena, "{\"InstanceId\":\"i-1\"%s%s}",
                                  IN_RESERVATION("capacity-reservations-only"), cases[i].lifecycle),
                     true);
        assert_string_equal(facts.reservation_id, "cr-1");
        assert_string_equal(facts.reservation_type, cases[i].type);
        assert_int_equal(facts.reservation_interruptible, cases[i].interruptible);
    }
    assert_null(facts_of("{\"InstanceId\":\"i-1\"}", true).reservation_id);
}

static void provider_ids_AWI_418(void **state)
{
    (void)state;
    assert_string_equal(instance_id_of("aws:///us-west-2a/i-1"), "i-1");
    assert_string_equal(instance_id_of("x aws:///us-west-2a/more/i-1"), "i-1"); // greedy
    assert_null(instance_id_of("aws://us-west-2a/i-1"));
    assert_null(instance_id_of("i-1"));
    assert_null(instance_id_of(NULL));
}

static const struct instance_type_catalog *catalog_of(void)
{
    static const struct made_type made[] = {
        {"p5.metal",
         "{\"cpu\":\"4\",\"memory\":\"8Gi\",\"pods\":\"29\",\"vpc.amazonaws.com/"
         "efa\":\"2\","
         "\"nvidia.com/gpu\":\"0\"}",
         "[{\"key\":\"" LABEL(
             "instance-hypervisor") "\",\"operator\":\"In\",\"values\":[\"\"]},"
                                    "{\"key\":\"" LABEL(
                                        "instance-gpu-name") "\",\"operator\":"
                                                             "\"DoesNotExist\"},"
                                                             "{\"key\":\"" LABEL(
                                                                 "capacity-reservation-"
                                                                 "id") "\",\"operator\":"
                                                                       "\"In\","
                                                                       "\"values\":"
                                                                       "[\"cr-of-the-"
                                                                       "type\"]},"
                                                                       "{\"key\":"
                                                                       "\"" LABEL("instance-"
                                                                                  "tenancy") "\""
                                                                                             ","
                                                                                             "\""
                                                                                             "op"
                                                                                             "er"
                                                                                             "at"
                                                                                             "or"
                                                                                             "\""
                                                                                             ":"
                                                                                             "\""
                                                                                             "In"
                                                                                             "\""
                                                                                             ","
                                                                                             "\""
                                                                                             "va"
                                                                                             "lu"
                                                                                             "es"
                                                                                             "\""
                                                                                             ":"
                                                                                             "["
                                                                                             "\""
                                                                                             "de"
                                                                                             "di"
                                                                                             "ca"
                                                                                             "te"
                                                                                             "d"
                                                                                             "\""
                                                                                             ","
                                                                                             "\""
                                                                                             "de"
                                                                                             "fa"
                                                                                             "ul"
                                                                                             "t"
                                                                                             "\""
                                                                                             "]}"
                                                                                             "]",
         {"on-demand us-west-2a 0.1"}}};
    return make_catalog(made, 1);
}

#define INSTANCE                                                                            \
    "{\"InstanceId\":\"i-1\",\"State\":{\"Name\":\"shutting-down\"},\"ImageId\":\"ami-1\"," \
    "\"InstanceType\":\"p5.metal\",\"Placement\":{\"AvailabilityZone\":\"us-west-2a\","     \
    "\"Tenancy\":\"dedicated\"},\"Tags\":[{\"Key\":\"karpenter.sh/nodepool\",\"Value\":"    \
    "\"pool\"}],\"LaunchTime\":\"2026-01-01T00:00:00Z\"%s}"

static struct machine machine_of(const char *more, const struct instance_type *type,
                                 const struct ec2_node_class *node_class,
                                 const struct placement_group *group)
{
    struct machine machine;
    struct aws_instance_facts facts = facts_of(arena_format(arena, INSTANCE, more), true);
    machine_answer_build(arena,
                         &(struct machine_sources){.facts = &facts,
                                                   .type = type,
                                                   .node_class = node_class,
                                                   .group = group,
                                                   .partition = "2"},
                         &machine);
    return machine;
}

static void labels_of_a_machine_AWI_84_260_to_262(void **state)
{
    (void)state;
    const struct instance_type_catalog *catalog = catalog_of();
    const struct object *node_class = make_object(
        "karpenter.k8s.aws/v1", "EC2NodeClass", "{}",
        "{\"subnets\":[{\"id\":\"s\",\"zone\":\"us-west-2a\",\"zoneID\":\"usw2-az1\"}]}");
    const struct placement_group group = {"pg-1", "group", "partition", NULL, 3};
    struct machine machine = machine_of("", &catalog->spec.instance_types.items[0],
                                        (const struct ec2_node_class *)node_class, &group);
    const struct string_map *labels = &machine.labels;
    // AWI-261.
    assert_string_equal(machine.provider_id, "aws:///us-west-2a/i-1");
    assert_string_equal(machine.image_id, "ami-1");
    assert_int_equal(machine.created, INT64_C(1767225600) * 1000000000);
    assert_true(machine.terminating);
    // AWI-262: (a) one value alone, the empty one too, but those of reservations.
    assert_string_equal(string_map_get(labels, "node.kubernetes.io/instance-type"), "p5.metal");
    assert_string_equal(string_map_get(labels, LABEL("instance-hypervisor")), "");
    assert_null(string_map_get(labels, LABEL("instance-gpu-name")));
    assert_null(string_map_get(labels, LABEL("capacity-reservation-id")));
    // (b) to (e), (g), (h).
    assert_string_equal(string_map_get(labels, "topology.kubernetes.io/zone"), "us-west-2a");
    assert_string_equal(string_map_get(labels, "topology.k8s.aws/zone-id"), "usw2-az1");
    assert_string_equal(string_map_get(labels, "karpenter.sh/capacity-type"), "on-demand");
    assert_string_equal(string_map_get(labels, LABEL("instance-tenancy")), "dedicated");
    assert_string_equal(string_map_get(labels, LABEL("placement-group-id")), "pg-1");
    assert_string_equal(string_map_get(labels, LABEL("placement-group-partition")), "2");
    assert_string_equal(string_map_get(labels, "karpenter.sh/nodepool"), "pool");
    // (f).
    machine = machine_of(IN_RESERVATION("capacity-reservations-only"), NULL, NULL, NULL);
    assert_string_equal(string_map_get(labels, "karpenter.sh/capacity-type"), "reserved");
    assert_string_equal(string_map_get(labels, LABEL("capacity-reservation-id")), "cr-1");
    assert_string_equal(string_map_get(labels, LABEL("capacity-reservation-type")), "default");
    assert_string_equal(string_map_get(labels, LABEL("capacity-reservation-interruptible")),
                        "false");
    object_release(node_class);
    object_release((const struct object *)catalog);
}

static void capacity_of_a_machine_AWI_263_265(void **state)
{
    (void)state;
    const struct instance_type_catalog *catalog = catalog_of();
    const struct instance_type *type = &catalog->spec.instance_types.items[0];
    struct machine machine = machine_of("", type, NULL, NULL);
    assert_int_equal(resource_map_get(&machine.capacity, "cpu"), 4000);
    assert_false(resource_map_has(&machine.capacity, "nvidia.com/gpu")); // zero
    assert_false(resource_map_has(&machine.capacity, "vpc.amazonaws.com/efa"));
    assert_false(resource_map_has(&machine.allocatable, "vpc.amazonaws.com/efa"));
    machine = machine_of(",\"NetworkInterfaces\":[{\"InterfaceType\":\"efa\"}]", type, NULL, NULL);
    assert_int_equal(resource_map_get(&machine.capacity, "vpc.amazonaws.com/efa"), 2);
    // Its NodePool or NodeClass is gone.
    machine = machine_of("", NULL, NULL, NULL);
    assert_int_equal(machine.capacity.count, 0);
    assert_int_equal(machine.allocatable.count, 0);
    assert_null(string_map_get(&machine.labels, "node.kubernetes.io/instance-type"));
    assert_string_equal(string_map_get(&machine.labels, "karpenter.sh/nodepool"), "pool");
    object_release((const struct object *)catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_of_an_instance_is_read_AWI_400, setup, teardown),
        cmocka_unit_test_setup_teardown(capacity_types_AWI_401, setup, teardown),
        cmocka_unit_test_setup_teardown(details_of_reservations_AWI_402, setup, teardown),
        cmocka_unit_test_setup_teardown(provider_ids_AWI_418, setup, teardown),
        cmocka_unit_test_setup_teardown(labels_of_a_machine_AWI_84_260_to_262, setup, teardown),
        cmocka_unit_test_setup_teardown(capacity_of_a_machine_AWI_263_265, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
