// The instance types of a NodeClass without a cluster: as a running controller resolves them
// (AWI-10, 90 to 115, AWN-210 to 212).
#include "support/cmocka_all.h"

#include <string.h>

#include "base/loop_virtual.h"
#include "base/quantity.h"
#include "base/text.h"
#include "cloud/aws/types/built_in_types.h"
#include "cloud/aws/types/class_types.h"
#include "cloud/aws/types/ec2_types.h"
#include "model/manifest/input.h"
#include "model/reading/catalog.h"
#include "model/reading/settings_read.h"
#include "model/schema/decode.h"
#include "model/tables/kinds.h"

static struct settings settings;

static struct object *object_of(const char *text)
{
    struct documents documents = {0};
    struct error error = {0};
    if (!documents_read_text(&documents, text, strlen(text), "test", false, &error))
        fail_msg("%s", error.message);
    struct object *object = document_decode(documents.items[0].value, DECODE_STRICT, &error);
    documents_free(&documents);
    if (object == NULL)
        fail_msg("%s", error.message);
    return object;
}

#define CLASS(spec, status)                                                                       \
    "{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: c}, spec: {" spec    \
    ", subnetSelectorTerms: [{id: subnet-1}], securityGroupSelectorTerms: [{id: sg-1}], role: r}" \
    ", status: {" status "}}"
#define ADDRESSES "public addresses of the subnets (taken: none)"
#define NOTED_CLASS(noted, spec)                                                                  \
    "{apiVersion: karpenter.k8s.aws/v1, kind: EC2NodeClass, metadata: {name: c, annotations: "    \
    "{adze.dev/public-addresses: " noted "}}, spec: {" AL2023 spec                                \
    ", subnetSelectorTerms: [{id: subnet-1}], securityGroupSelectorTerms: [{id: sg-1}], role: r}" \
    ", status: {" SUBNETS "}}"
#define SUBNETS "subnets: [{id: subnet-1, zone: us-east-1c}, {id: subnet-2, zone: us-east-1a}]"
#define AL2023  "amiSelectorTerms: [{alias: al2023@latest}]"
#define ROCKET  "amiSelectorTerms: [{alias: bottlerocket@latest}]"

// `pool`: the requirements of a NodePool that refers to the class, or NULL.
static const struct instance_type_catalog *catalog_of(const char *class, const char *pool,
                                                      struct text *unknown)
{
    struct object *node_class = object_of(class), *node_pool = NULL;
    struct error error = {0};
    if (pool != NULL) {
        struct text text = {0};
        text_format(&text,
                    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p}, spec: "
                    "{template: {spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: "
                    "EC2NodeClass, name: c}, requirements: %s}}}}",
                    pool);
        node_pool = object_of(text.data);
        text_free(&text);
    }
    const struct node_pool *pools[] = {(const struct node_pool *)node_pool};
    struct class_catalog_request request = {node_class, pools, pool != NULL, &settings};
    const struct instance_type_catalog *catalog = ec2_class_catalog(&request, unknown, &error);
    if (catalog == NULL)
        fail_msg("%s", error.message);
    object_release(node_class);
    object_release(node_pool);
    return catalog;
}

static const struct instance_type *type_of(const struct instance_type_catalog *catalog,
                                           const char *name)
{
    list_for_each (type, &catalog->spec.instance_types)
        if (strcmp(type->name, name) == 0)
            return type;
    fail_msg("no type %s", name);
    return NULL;
}

static int64_t overhead(const struct instance_type *type, const char *resource)
{
    return resource_map_get(&type->overhead.kube_reserved, resource) +
           resource_map_get(&type->overhead.system_reserved, resource) +
           resource_map_get(&type->overhead.eviction_threshold, resource);
}

// `a` lacks the types that the region does not offer (AWI-916).
static void assert_types_equal(const struct instance_type_catalog *a,
                               const struct instance_type_catalog *b)
{
    assert_in_range(b->spec.instance_types.count - a->spec.instance_types.count, 0, 20);
    for (uint32_t i = 0; i < a->spec.instance_types.count; i++) {
        const struct instance_type *x = &a->spec.instance_types.items[i];
        const struct instance_type *y = type_of(b, x->name);
        assert_int_equal(x->capacity.count, y->capacity.count);
        for (uint32_t k = 0; k < x->capacity.count; k++) {
            const char *resource = x->capacity.items[k].name;
            assert_int_equal(x->capacity.items[k].value, resource_map_get(&y->capacity, resource));
            assert_int_equal(overhead(x, resource), overhead(y, resource));
        }
        assert_int_equal(x->offerings.count, y->offerings.count);
    }
}

// A running controller's, of the same facts.
static const struct instance_type_catalog *running_catalog(const char *class)
{
    struct error error = {0};
    struct loop *loop = loop_create_virtual(0);
    struct ec2_prices *prices =
        ec2_prices_create(&(struct ec2_prices_options){.loop = loop, .region = "us-east-1"});
    struct unavailable_offerings *unavailable =
        unavailable_offerings_create(&(struct unavailable_options){.loop = loop});
    struct reservation_counts *reservations = reservation_counts_create(loop);
    struct placement_groups *groups = placement_groups_create();
    struct ec2_types *types =
        ec2_types_create(&(struct ec2_types_options){.loop = loop,
                                                     .settings = &settings,
                                                     .region = "us-east-1",
                                                     .prices = prices,
                                                     .unavailable = unavailable,
                                                     .reservations = reservations,
                                                     .groups = groups});
    static const char *const zones[] = {"us-east-1a", "us-east-1c", NULL};
    ec2_types_use(types, instance_infos_built_in(&error), zones);
    struct object *node_class = object_of(class);
    const struct instance_type_catalog *catalog =
        ec2_types_for(types, (const struct ec2_node_class *)node_class, &error);
    assert_non_null(catalog);
    object_release(node_class);
    ec2_types_destroy(types);
    ec2_prices_destroy(prices);
    unavailable_offerings_destroy(unavailable);
    reservation_counts_destroy(reservations);
    placement_groups_destroy(groups);
    loop_destroy(loop);
    return catalog;
}

static void as_a_running_controller_resolves_them_AWI_10(void **state)
{
    (void)state;
    static const char *const classes[] = {
        CLASS(AL2023, SUBNETS),
        CLASS(ROCKET, SUBNETS),
        CLASS("amiSelectorTerms: [{alias: windows2022@latest}]", SUBNETS),
        CLASS(AL2023 ", instanceStorePolicy: RAID0, kubelet: {maxPods: 30, systemReserved: "
                     "{memory: 1Gi}, evictionHard: {memory.available: 5%}}",
              SUBNETS),
        CLASS(ROCKET ", kubelet: {podsPerCore: 4, kubeReserved: {cpu: '1'}}, blockDeviceMappings: "
                     "[{deviceName: /dev/xvdb, ebs: {volumeSize: 77Gi}}]",
              SUBNETS),
    };
    for (size_t i = 0; i < ARRAY_LENGTH(classes); i++) {
        const struct instance_type_catalog *alone = catalog_of(classes[i], NULL, NULL);
        const struct instance_type_catalog *running = running_catalog(classes[i]);
        assert_types_equal(alone, running);
        object_release((const struct object *)alone);
        object_release((const struct object *)running);
    }
}

static void families_and_kubelets_differ_AWN_210_212(void **state)
{
    (void)state;
    const struct instance_type_catalog *plain = catalog_of(CLASS(AL2023, SUBNETS), NULL, NULL);
    const struct instance_type_catalog *rocket =
        catalog_of(CLASS(ROCKET ", kubelet: {maxPods: 10}", SUBNETS), NULL, NULL);
    const struct instance_type_catalog *raid =
        catalog_of(CLASS(AL2023 ", instanceStorePolicy: RAID0", SUBNETS), NULL, NULL);
    const struct instance_type *large = type_of(plain, "m5.large");
    assert_int_equal(resource_map_get(&large->capacity, "pods"), 29);
    assert_int_equal(resource_map_get(&type_of(rocket, "m5.large")->capacity, "pods"), 10);
    // 11 MiB a pod: AL2023 counts those of the network interfaces, Bottlerocket the 10.
    assert_int_equal(overhead(large, "memory") - overhead(type_of(rocket, "m5.large"), "memory"),
                     INT64_C(11) * (29 - 10) << 20);
    assert_int_equal(resource_map_get(&large->capacity, "ephemeral-storage"), INT64_C(20) << 30);
    assert_int_equal(resource_map_get(&type_of(raid, "m5d.large")->capacity, "ephemeral-storage"),
                     INT64_C(75000000000));
    object_release((const struct object *)plain);
    object_release((const struct object *)rocket);
    object_release((const struct object *)raid);
}

// Without settings of its own a class has what plans have without one.
static void a_plain_class_is_the_built_in_catalogue(void **state)
{
    (void)state;
    struct error error = {0};
    const struct instance_type_catalog *class = catalog_of(CLASS(AL2023, ""), "[]", NULL);
    const struct instance_type_catalog *built_in = ec2_catalog_create(NULL, &error);
    const struct instance_type *a = type_of(class, "m5.large");
    const struct instance_type *b = type_of(built_in, "m5.large");
    assert_int_equal(a->offerings.count, b->offerings.count);
    list_for_each (resource, &a->capacity)
        assert_int_equal(resource->value, resource_map_get(&b->capacity, resource->name));
    for (uint32_t i = 0; i < a->offerings.count; i++) {
        const struct offering *offering = &a->offerings.items[i], *other = &b->offerings.items[i];
        assert_true(offering->available && other->available);
        assert_string_equal(requirement_single_value(&offering->requirements, LABEL_ZONE),
                            requirement_single_value(&other->requirements, LABEL_ZONE));
        assert_int_equal(offering->price, other->price);
        assert_int_equal(offering->interruptions, other->interruptions);
    }
    object_release((const struct object *)class);
    object_release((const struct object *)built_in);
}

// The zones of the available offerings of a type, joined.
static void assert_zones(const struct instance_type_catalog *catalog, const char *expected)
{
    struct text zones = {0};
    list_for_each (offering, &type_of(catalog, "m5.large")->offerings) {
        const char *zone = requirement_single_value(&offering->requirements, LABEL_ZONE);
        if (offering->available && (zones.data == NULL || strstr(zones.data, zone) == NULL))
            text_join(&zones, " ", zone);
    }
    assert_string_equal(text_or_empty(zones.data), expected);
    text_free(&zones);
}

static void zones_of_status_of_pools_or_usual_ones_AWI_11(void **state)
{
    (void)state;
    static const struct {
        const char *class, *pool, *zones, *unknown;
    } cases[] = {
        {CLASS(AL2023, SUBNETS), NULL, "us-east-1a us-east-1c", ADDRESSES},
        {CLASS(AL2023, ""), "[]", "us-east-1a us-east-1b us-east-1c",
         "zones of the subnets (taken: us-east-1a, us-east-1b, us-east-1c), " ADDRESSES},
        {CLASS(AL2023, ""),
         "[{key: topology.kubernetes.io/zone, operator: In, values: [us-gov-west-1b, "
         "us-gov-west-1d, eu-west-1a, test-zone]}]",
         "us-gov-west-1a us-gov-west-1b us-gov-west-1c us-gov-west-1d",
         "zones of the subnets (taken: us-gov-west-1a, us-gov-west-1b, us-gov-west-1c, "
         "us-gov-west-1d), " ADDRESSES},
        {CLASS(AL2023, ""),
         "[{key: topology.kubernetes.io/region, operator: In, values: [eu-west-1]}]",
         "eu-west-1a eu-west-1b eu-west-1c",
         "zones of the subnets (taken: eu-west-1a, eu-west-1b, eu-west-1c), " ADDRESSES}, // AWI-916
        {CLASS(AL2023, ""),
         "[{key: topology.kubernetes.io/region, operator: In, values: [eu-west-9]}]",
         "eu-west-9a eu-west-9b eu-west-9c",
         "zones of the subnets (taken: eu-west-9a, eu-west-9b, eu-west-9c), types and prices of "
         "eu-west-9 (taken: those of another region), " ADDRESSES},
        {CLASS("amiFamily: AL2, amiSelectorTerms: [{id: ami-1}], placementGroupSelector: {name: "
               "x}, capacityReservationSelectorTerms: [{id: cr-1}]",
               SUBNETS),
         NULL, "us-east-1a us-east-1c",
         "architectures of the images (taken: all), " ADDRESSES
         ", free instances of capacity reservations (none is taken), the placement group (it "
         "leaves out no type)"},
        {CLASS("amiSelectorTerms: [{alias: windows2022@latest}], detailedMonitoring: true, "
               "associatePublicIPAddress: true, userData: '-KubeletExtraArgs --max-pods=20', "
               "blockDeviceMappings: [{deviceName: /dev/sda1, ebs: {snapshotID: snap-1}}]",
               SUBNETS),
         NULL, "us-east-1a us-east-1c",
         "prices of Windows licences (taken: prices of Linux), sizes of snapshots (taken: the "
         "family's default), the price of detailed monitoring (not counted), max-pods in userData "
         "(spec.kubelet alone counts)"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct text unknown = {0};
        const struct instance_type_catalog *catalog =
            catalog_of(cases[i].class, cases[i].pool, &unknown);
        assert_zones(catalog, cases[i].zones);
        assert_string_equal(text_or_empty(unknown.data), cases[i].unknown);
        text_free(&unknown);
        object_release((const struct object *)catalog);
    }
}

// AWN-1: the class says whether nodes get public addresses, else its subnets do, of which the
// controller notes it.
static void public_addresses_are_those_of_class_or_subnets_AWN_1(void **state)
{
    (void)state;
    static const struct {
        const char *class, *unknown;
        bool public;
    } cases[] = {
        {NOTED_CLASS("all", ""), "", true},
        {NOTED_CLASS("none", ""), "", false},
        {NOTED_CLASS("some", ""), "which subnets give public addresses (some do; taken: all)",
         true},
        {NOTED_CLASS("all", ", associatePublicIPAddress: false"), "", false},
        {NOTED_CLASS("none", ", associatePublicIPAddress: true"), "", true},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct text unknown = {0};
        const struct instance_type_catalog *catalog = catalog_of(cases[i].class, NULL, &unknown);
        assert_int_equal(type_of(catalog, "m5.large")->public_address, cases[i].public);
        assert_string_equal(text_or_empty(unknown.data), cases[i].unknown);
        text_free(&unknown);
        object_release((const struct object *)catalog);
    }
}

static void other_kinds_and_bad_kubelets(void **state)
{
    (void)state;
    struct text unknown = {0};
    struct error error = {0};
    struct object *node_class = object_of(
        "{apiVersion: karpenter.kwok.sh/v1alpha1, kind: KWOKNodeClass, metadata: {name: k}}");
    struct class_catalog_request request = {.node_class = node_class, .settings = &settings};
    assert_null(ec2_class_catalog(&request, &unknown, &error));
    assert_int_equal(error.kind, ERROR_NONE);
    object_release(node_class);
    node_class = object_of(CLASS(AL2023 ", kubelet: {maxPods: [1]}", ""));
    request.node_class = node_class;
    assert_null(ec2_class_catalog(&request, &unknown, &error));
    assert_int_not_equal(error.kind, ERROR_NONE);
    assert_non_null(strstr(error.message, "spec.kubelet"));
    assert_int_equal(unknown.length, 0);
    object_release(node_class);
}

// --- what nodes cost beside their machines (SCH-507) ---------------------------------------------

static void check_costs(const char *class, int64_t volumes, bool address)
{
    const struct instance_type_catalog *catalog = catalog_of(class, NULL, NULL);
    const struct instance_type *type = type_of(catalog, "m5.large");
    assert_int_equal(type->volume_price, volumes);
    assert_int_equal(type->public_address, address);
    object_release((const struct object *)catalog);
}

static void volumes_and_addresses_are_those_of_the_node_class_SCH_507(void **state)
{
    (void)state;
#define VOLUME(ebs) \
    ", blockDeviceMappings: [{deviceName: /dev/xvda, rootVolume: true, ebs: {" ebs "}}]"
#define IRELAND "subnets: [{id: subnet-1, zone: eu-west-1a}]"
    check_costs(CLASS(AL2023, SUBNETS), 2191781, false); // 20 GB, 1.60 USD
    check_costs(CLASS(AL2023, IRELAND), 2410959, false); // a tenth more
    check_costs(CLASS(ROCKET, SUBNETS), 2630137, false); // 4 and 20 GB
    check_costs(CLASS(AL2023 VOLUME("volumeSize: 100Gi, volumeType: gp3, iops: 4000, throughput: "
                                    "225"),
                      SUBNETS),
                23287671, false); // 8 USD, 5 for IOPS, 4 for throughput
    check_costs(CLASS(AL2023 VOLUME("volumeSize: 100Gi, volumeType: gp2"), SUBNETS), 13698630,
                false);
    check_costs(CLASS(AL2023 ", associatePublicIPAddress: true", SUBNETS), 2191781, true);
    check_costs(CLASS(AL2023 ", associatePublicIPAddress: false", SUBNETS), 2191781, false);
}

static void burstable_types_have_a_baseline_SCH_507(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t baseline, price; // thousandths of a vCPU, of a USD
    } expected[] = {{"t3.nano", 100, 50},   {"t3a.medium", 400, 50},   {"t3.large", 600, 50},
                    {"t4g.small", 400, 40}, {"t4g.2xlarge", 3200, 40}, {"t2.micro", 100, 50},
                    {"t2.xlarge", 900, 50}, {"t2.2xlarge", 1360, 50},  {"m5.large", 0, 0}};
    const struct instance_type_catalog *catalog = catalog_of(CLASS(AL2023, SUBNETS), NULL, NULL);
    for (size_t i = 0; i < ARRAY_LENGTH(expected); i++) {
        const struct instance_type *type = type_of(catalog, expected[i].name);
        assert_int_equal(type->burst.baseline, expected[i].baseline * 1000000);
        assert_int_equal(type->burst.surplus_price, expected[i].price * 1000000);
    }
    object_release((const struct object *)catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volumes_and_addresses_are_those_of_the_node_class_SCH_507),
        cmocka_unit_test(burstable_types_have_a_baseline_SCH_507),
        cmocka_unit_test(as_a_running_controller_resolves_them_AWI_10),
        cmocka_unit_test(families_and_kubelets_differ_AWN_210_212),
        cmocka_unit_test(a_plain_class_is_the_built_in_catalogue),
        cmocka_unit_test(zones_of_status_of_pools_or_usual_ones_AWI_11),
        cmocka_unit_test(public_addresses_are_those_of_class_or_subnets_AWN_1),
        cmocka_unit_test(other_kinds_and_bad_kubelets),
    };
    settings_defaults(&settings);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    settings_free(&settings);
    return failed;
}
