// Catalogues of NodeClasses: asking EC2, caching, availability, learned memory (AWI-1 to 31, 160 to
// 188, 900 to 918).
#include "support/cmocka_all.h"

#include <string.h>

#include "base/loop_virtual.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "cloud/aws/fake_aws.h"
#include "cloud/aws/types/kept_prices.h"
#include "cloud/aws/types/type_stores.h"
#include "model/reading/catalog.h"
#include "model/reading/settings_read.h"
#include "model/tables/kinds.h"

#define GIBIBYTE (INT64_C(1) << 30)

struct fixture {
    struct loop *loop;
    struct fake_aws *fake;
    struct settings settings;
    struct type_stores stores;
    const char *shifted; // a zone id
    int64_t overlay;
    uint32_t changes, ends;
    struct error error;
    json_t *node_class;
};

static bool is_shifted(void *context, const char *zone_id)
{
    struct fixture *fixture = context;
    return text_equal(fixture->shifted, zone_id);
}

static int64_t overlay(void *context, const char *instance_type)
{
    struct fixture *fixture = context;
    return strcmp(instance_type, "x0.large") == 0 ? fixture->overlay : 0;
}

static void count_change(void *context)
{
    struct fixture *fixture = context;
    fixture->changes++;
}

static void note_end(void *context, const struct error *error)
{
    struct fixture *fixture = context;
    fixture->ends++;
    fixture->error = *error;
}

static const char node_class_text[] =
    "{\"apiVersion\": \"karpenter.k8s.aws/v1\", \"kind\": \"EC2NodeClass\", \"metadata\": "
    "{\"name\": "
    "\"default\"}, \"spec\": {\"amiSelectorTerms\": [{\"alias\": \"al2023@latest\"}]}, \"status\": "
    "{\"amis\": [{\"id\": \"ami-1\", \"requirements\": [{\"key\": \"kubernetes.io/arch\", "
    "\"operator\": \"In\", \"values\": [\"amd64\"]}]}], \"subnets\": [{\"id\": \"s1\", \"zone\": "
    "\"us-west-2b\", \"zoneID\": \"usw2-az2\"}, {\"id\": \"s2\", \"zone\": \"us-west-2b\", "
    "\"zoneID\": \"usw2-az2\"}, {\"id\": \"s3\", \"zone\": \"us-west-2c\", \"zoneID\": "
    "\"usw2-az3\"}]}}";

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    fixture->loop = loop_create_virtual(INT64_C(1767225600) * SECOND);
    fixture->fake = fake_aws_create(fixture->loop);
    settings_defaults(&fixture->settings);
    type_stores_open(&fixture->stores, fixture->loop, &fixture->settings, true,
                     &(struct ec2_types_options){.zone_is_shifted = is_shifted,
                                                 .overlay_price = overlay,
                                                 .changed = count_change,
                                                 .context = fixture});
    fixture->node_class = json_loads(node_class_text, 0, NULL);
    assert_non_null(fixture->node_class);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    type_stores_close(&fixture->stores);
    fake_aws_destroy(fixture->fake);
    settings_free(&fixture->settings);
    json_decref(fixture->node_class);
    loop_destroy(fixture->loop);
    free(fixture);
    return 0;
}

static json_t *info(const char *name)
{
    return json_pack("{s:s, s:[s, s], s:s, s:{s:[s], s:s, s:f}, s:{s:i}, s:{s:i}, s:{s:i, s:i, "
                     "s:i, s:[{s:i, s:i}]}}",
                     "InstanceType", name, "SupportedUsageClasses", "on-demand", "spot",
                     "Hypervisor", "nitro", "ProcessorInfo", "SupportedArchitectures", "x86_64",
                     "Manufacturer", "Intel", "SustainedClockSpeedInGhz", 3.1, "VCpuInfo",
                     "DefaultVCpus", 2, "MemoryInfo", "SizeInMiB", 8192, "NetworkInfo",
                     "MaximumNetworkInterfaces", 3, "DefaultNetworkCardIndex", 0,
                     "Ipv4AddressesPerInterface", 10, "NetworkCards", "NetworkCardIndex", 0,
                     "MaximumNetworkInterfaces", 3);
}

static json_t *offered(const char *type, const char *zone)
{
    return json_pack("{s:s, s:s, s:s}", "InstanceType", type, "LocationType", "availability-zone",
                     "Location", zone);
}

// AWI-170: zones a, b, c; m5.large in a and b; x0.large, without price, in c.
static void load(struct fixture *fixture)
{
    fake_aws_reply(fixture->fake, EC2_DESCRIBE_INSTANCE_TYPES,
                   json_pack("{s:[o, o]}", "InstanceTypes", info("x0.large"), info("m5.large")));
    fake_aws_reply(fixture->fake, EC2_DESCRIBE_INSTANCE_TYPE_OFFERINGS,
                   json_pack("{s:[o, o, o]}", "InstanceTypeOfferings",
                             offered("x0.large", "us-west-2c"), offered("m5.large", "us-west-2b"),
                             offered("m5.large", "us-west-2a")));
    ec2_types_refresh(fixture->stores.types, fake_aws_client(fixture->fake), note_end, fixture);
    assert_int_equal(fixture->ends, 0);
    loop_run_for(fixture->loop, MINUTE);
    assert_int_equal(fixture->ends, 1);
    assert_int_equal(fixture->error.kind, ERROR_NONE);
}

static const struct instance_type_catalog *catalogue(struct fixture *fixture, struct error *error)
{
    struct error own = {0};
    struct object *node_class = document_decode(fixture->node_class, DECODE_LENIENT, &own);
    assert_non_null(node_class);
    const struct instance_type_catalog *found =
        ec2_types_for(fixture->stores.types, (const struct ec2_node_class *)node_class,
                      error != NULL ? error : &own);
    object_release(node_class);
    return found;
}

static void release(const struct instance_type_catalog *catalogue)
{
    object_release((const struct object *)catalogue);
}

// "b:od b:spot" for the available offerings of a type.
static const char *available(struct fixture *fixture, const char *name)
{
    static char text[400];
    const struct instance_type_catalog *all = catalogue(fixture, NULL);
    const struct instance_type *type = instance_type_catalog_find(all, name);
    assert_non_null(type);
    text[0] = '\0';
    list_for_each (offering, &type->offerings) {
        if (!offering->available)
            continue;
        const requirement_list *list = &offering->requirements;
        const char *zone = requirement_single_value(list, LABEL_ZONE);
        const char *partition =
            requirement_single_value(list, "karpenter.k8s.aws/placement-group-partition");
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%c:%s%s%s", length > 0 ? " " : "",
                 zone[strlen(zone) - 1], requirement_single_value(list, LABEL_CAPACITY_TYPE),
                 partition != NULL ? ":" : "", partition != NULL ? partition : "");
    }
    release(all);
    return text;
}

static void asks_and_keeps_AWI_1_to_10(void **state)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    assert_null(catalogue(fixture, &error));
    assert_string_equal(error.message, "no instance types found");
    load(fixture);
    assert_int_equal(fixture->changes, 1);
    const json_t *asked = fake_aws_last(fixture->fake, EC2_DESCRIBE_INSTANCE_TYPES);
    assert_int_equal(json_integer_value(json_object_get(asked, "MaxResults")), 100);
    assert_int_equal(json_array_size(json_object_get(asked, "Filters")), 2);
    asked = fake_aws_last(fixture->fake, EC2_DESCRIBE_INSTANCE_TYPE_OFFERINGS); // AWI-2
    assert_int_equal(json_integer_value(json_object_get(asked, "MaxResults")), 1000);
    assert_string_equal(json_string_value(json_object_get(asked, "LocationType")),
                        "availability-zone");
    const struct instance_type_catalog *first = catalogue(fixture, NULL);
    assert_int_equal(first->spec.instance_types.count, 2);
    // The same answer changes nothing, and neither does a failure (AWI-4, 5).
    ec2_types_refresh(fixture->stores.types, fake_aws_client(fixture->fake), note_end, fixture);
    loop_run_for(fixture->loop, MINUTE);
    fake_aws_error(fixture->fake, EC2_DESCRIBE_INSTANCE_TYPES, 403, "UnauthorizedOperation", "x");
    ec2_types_refresh(fixture->stores.types, fake_aws_client(fixture->fake), note_end, fixture);
    ec2_types_refresh(fixture->stores.types, fake_aws_client(fixture->fake), note_end, fixture);
    const struct instance_type_catalog *meanwhile = catalogue(fixture, NULL);
    assert_ptr_equal(meanwhile, first); // AWI-6: readers neither wait nor see half of it
    release(meanwhile);
    loop_run_for(fixture->loop, MINUTE);
    assert_int_equal(fixture->ends, 4);
    assert_non_null(strstr(fixture->error.message, "UnauthorizedOperation"));
    assert_int_equal(fixture->changes, 1);
    const struct instance_type_catalog *second = catalogue(fixture, NULL);
    assert_ptr_equal(first, second);
    release(first);
    release(second);
    json_object_set_new(json_object_get(fixture->node_class, "status"), "subnets", json_array());
    assert_null(catalogue(fixture, &error));
    assert_string_equal(error.message, "no subnets found");
    ec2_types_refresh(fixture->stores.types, fake_aws_client(fixture->fake), note_end, fixture);
}

static void follows_shortages_AWI_170(void **state)
{
    struct fixture *fixture = *state;
    load(fixture);
    json_t *spot = json_pack("{s:{s:{s:f}}}", "spot", "m5.large", "us-west-2b", 0.04);
    assert_int_equal(kept_prices_decode(fixture->stores.prices, spot), 0);
    json_decref(spot);
    assert_string_equal(available(fixture, "m5.large"), "b:on-demand b:spot");
    unavailable_mark_pool(fixture->stores.unavailable,
                          &(struct unavailable_pool){"m5.large", "us-west-2b", "spot", NULL, NULL},
                          "InsufficientFreeAddressesInSubnet", NULL);
    unavailable_mark_subnet(fixture->stores.unavailable, "s1");
    assert_string_equal(available(fixture, "m5.large"), "b:on-demand"); // s2 is left
    unavailable_mark_subnet(fixture->stores.unavailable, "s2");
    assert_string_equal(available(fixture, "m5.large"), "");
    loop_run_for(fixture->loop, 3 * MINUTE + 10 * SECOND);
    assert_string_equal(available(fixture, "m5.large"), "b:on-demand b:spot");
    fixture->shifted = "usw2-az2";
    assert_string_equal(available(fixture, "m5.large"), "");
    fixture->shifted = NULL;
    unavailable_mark_capacity_type(fixture->stores.unavailable, "spot");
    assert_string_equal(available(fixture, "m5.large"), "b:on-demand");
}

static void overlay_prices_AWI_167(void **state)
{
    struct fixture *fixture = *state;
    load(fixture);
    assert_string_equal(available(fixture, "x0.large"), ""); // AWI-31
    fixture->overlay = 1000;
    assert_string_equal(available(fixture, "x0.large"), "c:on-demand c:spot");
    fixture->overlay = 0;
    assert_string_equal(available(fixture, "x0.large"), "");
}

static void partitions_have_their_own_memory_AWI_169_904(void **state)
{
    struct fixture *fixture = *state;
    load(fixture);
    json_object_set_new(json_object_get(fixture->node_class, "spec"), "placementGroupSelector",
                        json_pack("{s:s}", "name", "group"));
    json_t *replies = json_pack("{s:[s]}", "SupportedStrategies", "partition");
    json_t *type = info("m5.large");
    json_object_set_new(type, "PlacementGroupInfo", replies);
    fake_aws_reply(fixture->fake, EC2_DESCRIBE_INSTANCE_TYPES,
                   json_pack("{s:[o]}", "InstanceTypes", type));
    ec2_types_refresh(fixture->stores.types, fake_aws_client(fixture->fake), note_end, fixture);
    loop_run_for(fixture->loop, MINUTE);
    placement_groups_resolved(fixture->stores.groups, "name/group",
                              &(struct placement_group){"pg-1", "group", "partition", NULL, 2});
    assert_string_equal(available(fixture, "m5.large"),
                        "b:on-demand:1 b:on-demand:2 b:spot:1 b:spot:2");
    unavailable_mark_pool(fixture->stores.unavailable,
                          &(struct unavailable_pool){"m5.large", "us-west-2b", "spot", "pg-1", "2"},
                          "InsufficientInstanceCapacity", NULL);
    assert_string_equal(available(fixture, "m5.large"), "b:on-demand:1 b:on-demand:2 b:spot:1");
    unavailable_mark_pool(
        fixture->stores.unavailable,
        &(struct unavailable_pool){"m5.large", "us-west-2b", "on-demand", "pg-1", NULL},
        "InsufficientInstanceCapacity", NULL);
    assert_string_equal(available(fixture, "m5.large"), "b:spot:1");
    fixture->settings.compatibility_upstream = true; // AWI-164: partitions are never looked up
    unavailable_mark_subnet(fixture->stores.unavailable, "other");
    json_object_set_new(json_object_get(fixture->node_class, "metadata"), "name",
                        json_string("upstream"));
    assert_string_equal(available(fixture, "m5.large"), "b:spot:1 b:spot:2");
    placement_groups_resolved(fixture->stores.groups, "name/group",
                              &(struct placement_group){"pg-1", "group", "spread", NULL, 0});
    assert_string_equal(available(fixture, "m5.large"), ""); // AWN-41
}

static int64_t memory_of(struct fixture *fixture)
{
    const struct instance_type_catalog *all = catalogue(fixture, NULL);
    const struct instance_type *type = instance_type_catalog_find(all, "m5.large");
    int64_t bytes = resource_map_get(&type->capacity, "memory");
    release(all);
    return bytes;
}

static void learned_memory_replaces_AWI_20_to_25(void **state)
{
    struct fixture *fixture = *state;
    load(fixture);
    const int64_t computed = INT64_C(7577) << 20, learned = INT64_C(7919612) << 10;
    assert_int_equal(memory_of(fixture), computed);
    assert_true(ec2_types_learn(fixture->stores.types, "m5.large", "ami-1", learned));
    assert_false(ec2_types_learn(fixture->stores.types, "m5.large", "ami-1", learned));
    assert_int_equal(memory_of(fixture), learned);
    json_t *kept = ec2_types_learned_encode(fixture->stores.types);
    json_t *entry = json_array_get(json_object_get(kept, "m5.large"), 0);
    assert_string_equal(json_string_value(json_object_get(entry, "family")), "AL2023");
    assert_int_equal(ec2_types_learned_decode(fixture->stores.types, kept), 0);
    json_decref(kept);
    json_t *amis = json_object_get(json_object_get(fixture->node_class, "status"), "amis");
    json_object_set_new(json_array_get(amis, 0), "id", json_string("ami-2"));
    assert_int_equal(memory_of(fixture), learned - learned / 200); // AWI-906
    fixture->settings.compatibility_upstream = true;
    json_object_set_new(json_object_get(fixture->node_class, "metadata"), "name",
                        json_string("upstream"));
    assert_int_equal(memory_of(fixture), computed);
}

static void subnets_without_zone_id_AWI_11_910(void **state)
{
    struct fixture *fixture = *state;
    load(fixture);
    size_t index;
    json_t *subnet;
    json_array_foreach (json_object_get(json_object_get(fixture->node_class, "status"), "subnets"),
                        index, subnet)
        json_object_del(subnet, "zoneID");
    fixture->overlay = 1000;
    assert_string_equal(available(fixture, "x0.large"), "c:on-demand c:spot");
    fixture->settings.compatibility_upstream = true;
    json_object_set_new(json_object_get(fixture->node_class, "metadata"), "name",
                        json_string("upstream"));
    assert_string_equal(available(fixture, "x0.large"), "");
    assert_string_equal(available(fixture, "m5.large"), "b:on-demand b:spot");
}

static void reservations_AWI_175_to_177_918(void **state)
{
    struct fixture *fixture = *state;
    load(fixture);
    json_object_set_new(json_object_get(fixture->node_class, "status"), "capacityReservations",
                        json_pack("[{s:s, s:s, s:s, s:s, s:s}]", "id", "cr-1", "availabilityZone",
                                  "us-west-2b", "instanceType", "m5.large", "reservationType",
                                  "default", "state", "active"));
    assert_string_equal(available(fixture, "m5.large"), "b:on-demand b:spot");
    reservation_counts_fetched(fixture->stores.reservations, "cr-1", 2, loop_now_ns(fixture->loop));
    assert_string_equal(available(fixture, "m5.large"), "b:on-demand b:spot b:reserved");
    const struct instance_type_catalog *all = catalogue(fixture, NULL);
    const struct instance_type *type = instance_type_catalog_find(all, "m5.large");
    const struct offering *last = &type->offerings.items[type->offerings.count - 1];
    assert_int_equal(last->price, 10); // of 96,000,000
    assert_int_equal(last->reservation_capacity.value, 2);
    release(all);
    reservation_counts_exhausted(fixture->stores.reservations, "cr-1");
    assert_string_equal(available(fixture, "m5.large"), "b:on-demand b:spot");
}

static void bad_expressions_AWI_901(void **state)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    load(fixture);
    fixture->settings.aws_feature_gates = "Other=true, NodeClassCEL=true";
    json_object_set_new(
        json_object_get(fixture->node_class, "spec"), "kubelet",
        json_pack("{s:s}", "maxPods", "instance_type == 'x0.large' ? 1 / 0 : vcpus * 10"));
    const struct instance_type_catalog *all = catalogue(fixture, &error);
    assert_non_null(all);
    assert_int_equal(all->spec.instance_types.count, 1);
    assert_int_equal(resource_map_get(&all->spec.instance_types.items[0].capacity, "pods"), 20);
    release(all);
    fixture->settings.compatibility_upstream = true;
    json_object_set_new(json_object_get(fixture->node_class, "metadata"), "name",
                        json_string("upstream"));
    assert_null(catalogue(fixture, &error));
    assert_true(text_starts_with(error.message, "resolving instance type x0.large, "));
}

static void built_in_infos_without_cluster(void **state)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    ec2_types_use(fixture->stores.types, instance_infos_built_in(&error),
                  (const char *const[]){"us-west-2b", "us-west-2a", NULL});
    assert_true(ec2_types_loaded(fixture->stores.types));
    assert_string_equal(available(fixture, "m5.large"), "b:on-demand b:spot");
    assert_string_equal(available(fixture, "a1.large"), ""); // AL2023 does not run there
    assert_true(ec2_types_infos(fixture->stores.types)->count > 1300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(asks_and_keeps_AWI_1_to_10, set_up, tear_down),
        cmocka_unit_test_setup_teardown(follows_shortages_AWI_170, set_up, tear_down),
        cmocka_unit_test_setup_teardown(overlay_prices_AWI_167, set_up, tear_down),
        cmocka_unit_test_setup_teardown(partitions_have_their_own_memory_AWI_169_904, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(learned_memory_replaces_AWI_20_to_25, set_up, tear_down),
        cmocka_unit_test_setup_teardown(subnets_without_zone_id_AWI_11_910, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reservations_AWI_175_to_177_918, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_expressions_AWI_901, set_up, tear_down),
        cmocka_unit_test_setup_teardown(built_in_infos_without_cluster, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
