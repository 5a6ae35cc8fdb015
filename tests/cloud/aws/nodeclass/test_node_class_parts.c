// The pure parts: tags, failures, image of a type, choice of subnets.
#include "cloud/aws/nodeclass/ami_mapping.h"
#include "cloud/aws/nodeclass/ami_parameters.h"
#include "cloud/aws/nodeclass/ami_selection.h"
#include "cloud/aws/nodeclass/launch_failure.h"
#include "cloud/aws/nodeclass/node_class_tags.h"
#include "cloud/aws/nodeclass/subnet_addresses.h"

#include <stdio.h>
#include <string.h>

#include "base/loop_virtual.h"
#include "base/text.h"
#include "node_class_fixture.h"

static void failures_have_a_reason_AWN_611(void **state)
{
    (void)state;
    static const char *const expected[][2] = {
        {"UnauthorizedOperation: You are not authorized", "Unauthorized"},
        {"AccessDenied: x with an explicit deny in a service control policy", "Unauthorized"},
        {"AuthFailure: Not authorized for images: [ami-1]", "AMIAuthorizationFailure"},
        {"AuthFailure.ServiceLinkedRoleCreationNotPermitted: no", "SpotSLRCreationFailed"},
        {"InvalidParameter: sg-1 and subnet-1 belong to different networks",
         "SecurityGroupSubnetVPCMismatch"},
        {"InvalidUserData.Malformed: User data is limited to 16384 bytes",
         "UserDataSizeLimitExceeded"},
        {"VcpuLimitExceeded: no", "VCPULimitExceeded"},
        {"SomethingElse: no", "LaunchFailed"},
        {NULL, "LaunchFailed"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(expected); i++)
        assert_string_equal(launch_failure_of(expected[i][0]).reason, expected[i][1]);
}

static void capacity_codes_AWN_610(void **state)
{
    (void)state;
    assert_true(fault_is_capacity("InsufficientInstanceCapacity"));
    assert_true(fault_is_capacity("ReservationCapacityExceeded"));
    assert_false(fault_is_capacity("UnauthorizedOperation"));
    assert_false(fault_is_capacity(NULL));
    assert_false(fault_is_capacity("AuthFailure.ServiceLinkedRoleCreationNotPermitted"));
    assert_true(fault_is_spot_role("AuthFailure.ServiceLinkedRoleCreationNotPermitted"));
}

static bool tags_pass(const char *tags, struct error *error)
{
    struct text spec = {0};
    text_format(&spec, "{'tags': %s}", tags);
    struct ec2_node_class *node_class = node_class_of(spec.data, "{}");
    text_free(&spec);
    bool passes = node_class_tags_check(node_class, error);
    object_release((struct object *)node_class);
    return passes;
}

static void restricted_tags_AWN_463_720(void **state)
{
    (void)state;
    struct error error = {0};
    assert_true(tags_pass("{'Name': 'x', 'team': 'a', 'empty': ''}", &error));
    assert_false(tags_pass("{'karpenter.sh/nodepool': 'x'}", &error));
    assert_non_null(strstr(error.message, "\"karpenter.sh/nodepool\""));
    assert_false(tags_pass("{'kubernetes.io/cluster/c2': 'owned'}", &error));
    assert_false(tags_pass("{'aws:x': 'y'}", &error));
    struct text many = {0};
    text_add(&many, "{'k0': 'v'");
    for (int i = 1; i < 44; i++)
        text_format(&many, ", 'k%d': 'v'", i);
    text_add(&many, "}");
    assert_true(tags_pass(many.data, &error));
    many.data[many.length - 1] = ',';
    text_add(&many, "'k44': 'v'}");
    assert_false(tags_pass(many.data, &error));
    text_free(&many);
}

static void tags_of_a_launch_AWN_460_461(void **state)
{
    (void)state;
    struct ec2_node_class *node_class =
        node_class_of("{'tags': {'team': 'a', 'eks:eks-cluster-name': 'other'}}", "{}");
    json_t *tags = node_class_launch_tags(node_class, &test_cluster, "");
    json_t *expected = json_of("{'team': 'a', 'eks:eks-cluster-name': 'c1', "
                               "'kubernetes.io/cluster/c1': 'owned', 'karpenter.sh/nodepool': '', "
                               "'karpenter.k8s.aws/ec2nodeclass': 'default'}");
    assert_true(json_equal(tags, expected));
    json_t *list = tag_list_json(tags);
    assert_int_equal(json_array_size(list), 5);
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "Key")),
                        "eks:eks-cluster-name");
    json_decref(list);
    json_decref(expected);
    json_decref(tags);
    tags = node_class_profile_tags(node_class, &test_cluster);
    assert_string_equal(json_string_value(json_object_get(tags, "topology.kubernetes.io/region")),
                        "us-west-2");
    assert_null(json_object_get(tags, "karpenter.sh/nodepool"));
    json_decref(tags);
    object_release((struct object *)node_class);
}

#define AMI_STATUS                                                                    \
    "{'amis': [{'id': 'ami-gpu', 'name': 'g', 'requirements': ["                      \
    "{'key': 'kubernetes.io/arch', 'operator': 'In', 'values': ['amd64']},"           \
    "{'key': 'karpenter.k8s.aws/instance-gpu-count', 'operator': 'Exists'}]},"        \
    "{'id': 'ami-std', 'name': 's', 'requirements': ["                                \
    "{'key': 'kubernetes.io/arch', 'operator': 'In', 'values': ['amd64']},"           \
    "{'key': 'karpenter.k8s.aws/instance-gpu-count', 'operator': 'DoesNotExist'}]}]," \
    "'subnets': [{'id': 'subnet-b', 'zone': 'z1', 'zoneID': 'i1'},"                   \
    "{'id': 'subnet-a', 'zone': 'z1', 'zoneID': 'i1'},"                               \
    "{'id': 'subnet-c', 'zone': 'z2', 'zoneID': 'i2'}]}"

static void image_of_a_type_AWN_176(void **state)
{
    (void)state;
    struct ec2_node_class *node_class = node_class_of("{}", AMI_STATUS);
    static const struct {
        const char *operator, * value, *arch, *image;
    } rows[] = {
        {"In", "4", "amd64", "ami-gpu"},
        {"DoesNotExist", NULL, "amd64", "ami-std"},
        {NULL, NULL, "amd64", "ami-std"},
        {"DoesNotExist", NULL, "arm64", NULL},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        const char *gpu = rows[i].value, *arch = rows[i].arch;
        struct selector_requirement requirements[] = {
            {.key = "kubernetes.io/arch", .operator= "In", .values = {&arch, 1}},
            {
                .key = "karpenter.k8s.aws/instance-gpu-count",
                .operator= rows[i].operator,
                .values = {&gpu, gpu != NULL} },
            };
        struct instance_type type = {.name = "t"};
        type.requirements.items = requirements;
        type.requirements.count = rows[i].operator!= NULL ? 2 : 1;
        const struct ec2_ami *ami = ami_for_type(node_class, &type);
        if (rows[i].image == NULL)
            assert_null(ami);
        else
            assert_string_equal(ami->id, rows[i].image);
    }
    struct string_pair pairs[] = {{"karpenter.k8s.aws/instance-gpu-count", "1"},
                                  {"kubernetes.io/arch", "amd64"}};
    assert_string_equal(ami_for_labels(node_class, &(struct string_map){pairs, 2})->id, "ami-gpu");
    object_release((struct object *)node_class);
}

static const char *selected(bool usable_first, size_t index)
{
    static const char *const images[] = {
        "{'ImageId': 'ami-new', 'Name': 'n', 'Architecture': 'x86_64', 'CreationDate': "
        "'2026-03-01T00:00:00.000Z', 'DeprecationTime': '2026-04-01T00:00:00.000Z'}",
        "{'ImageId': 'ami-old', 'Name': 'o', 'Architecture': 'x86_64', 'CreationDate': "
        "'2026-01-01T00:00:00.000Z'}",
        "{'ImageId': 'ami-arm', 'Name': 'a', 'Architecture': 'arm64', 'CreationDate': "
        "'2025-01-01T00:00:00.000Z'}"};
    static char id[20];
    // The newer one is deprecated, and of other requirements, so that both are kept.
    struct ami_selection *selection = ami_selection_create(INT64_C(1792000000) * SECOND);
    for (size_t i = 0; i < ARRAY_LENGTH(images); i++) {
        json_t *image = json_of(images[i]);
        ami_selection_add(selection, image, i == 0 ? AMI_STANDARD : 0, NULL);
        json_decref(image);
    }
    json_t *list = ami_selection_result(selection, usable_first);
    assert_int_equal(json_array_size(list), 3);
    snprintf(id, sizeof id, "%s",
             json_string_value(json_object_get(json_array_get(list, index), "id")));
    json_decref(list);
    ami_selection_destroy(selection);
    return id;
}

static void usable_images_come_first_AWN_175_716(void **state)
{
    (void)state;
    assert_string_equal(selected(false, 0), "ami-new"); // upstream: by age alone
    assert_string_equal(selected(true, 0), "ami-old");
    assert_string_equal(selected(true, 1), "ami-new");
    assert_string_equal(selected(true, 2), "ami-arm");
}

static void subnet_with_most_addresses_AWN_104_105_106_107(void **state)
{
    (void)state;
    struct loop *loop = loop_create_virtual(0);
    struct ec2_node_class *node_class = node_class_of("{}", AMI_STATUS);
    struct subnet_addresses *addresses = subnet_addresses_create(loop, MINUTE);
    struct resource_quantity pods = {"pods", 2};
    struct instance_type type = {.name = "t", .capacity = {&pods, 1}};
    const char *spot = "spot", *zone = "z1";
    struct selector_requirement offered[] = {
        {.key = LABEL_CAPACITY_TYPE, .operator= "In", .values = {&spot, 1}},
        {.key = LABEL_ZONE, .operator= "In", .values = {&zone, 1}}};
    struct offering offering = {.requirements = {offered, 2}, .available = true};
    type.offerings.items = &offering;
    type.offerings.count = 1;
    const struct instance_type *types[] = {&type};
    subnet_addresses_fetched(addresses, "subnet-a", 10);
    subnet_addresses_fetched(addresses, "subnet-b", 11);
    struct subnet_choice choices[3];
    assert_int_equal(subnet_addresses_choose(addresses, node_class, types, 1, "spot", choices), 2);
    assert_string_equal(choices[0].subnet->id, "subnet-b");
    assert_int_equal(choices[0].reserved, 2);
    assert_string_equal(choices[1].subnet->id, "subnet-c");
    assert_int_equal(choices[1].reserved, 0);
    struct subnet_choice second[3];
    assert_int_equal(subnet_addresses_choose(addresses, node_class, types, 1, "spot", second), 2);
    assert_string_equal(second[0].subnet->id, "subnet-a"); // b is at 9 now
    // The second launch did not use a: it gets its two addresses back.
    subnet_addresses_settle(addresses, second, 2, (const char *const[]){"subnet-c"}, 1);
    assert_int_equal(subnet_addresses_choose(addresses, node_class, types, 1, "spot", second), 2);
    assert_string_equal(second[0].subnet->id, "subnet-a");
    subnet_addresses_exhausted(addresses, "subnet-a");
    subnet_addresses_choose(addresses, node_class, types, 1, "spot", second);
    assert_string_equal(second[0].subnet->id, "subnet-b");
    subnet_addresses_destroy(addresses);
    object_release((struct object *)node_class);
    loop_destroy(loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_have_a_reason_AWN_611),
        cmocka_unit_test(capacity_codes_AWN_610),
        cmocka_unit_test(restricted_tags_AWN_463_720),
        cmocka_unit_test(tags_of_a_launch_AWN_460_461),
        cmocka_unit_test(image_of_a_type_AWN_176),
        cmocka_unit_test(usable_images_come_first_AWN_175_716),
        cmocka_unit_test(subnet_with_most_addresses_AWN_104_105_106_107),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
