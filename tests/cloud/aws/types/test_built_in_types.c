// EC2 instance types computed from the facts, against recorded results of Karpenter (AWI-115).
#include "cloud/aws/types/built_in_types.h"

#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "model/reading/catalog.h"
#include "support/cmocka_all.h"

static const struct instance_type_catalog *catalog;
static json_t *oracle;

static int setup(void **state)
{
    (void)state;
    struct error error = {0};
    catalog = ec2_catalog_create(NULL, &error);
    assert_non_null(catalog);
    oracle = json_load_file(CLOUD_DATA "/expected-nodes.json", 0, NULL);
    assert_non_null(oracle);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    object_release((const struct object *)catalog);
    json_decref(oracle);
    return 0;
}

static const struct instance_type *find(const char *name)
{
    list_for_each (type, &catalog->spec.instance_types) {
        if (strcmp(type->name, name) == 0)
            return type;
    }
    return NULL;
}

static void allocatable_equals_oracle_AWI_90_to_115(void **state)
{
    (void)state;
    json_t *types = json_object_get(oracle, "types"), *expected, *quantity;
    const char *name, *resource;
    uint32_t checked = 0;
    json_object_foreach (types, name, expected) {
        CLEANUP_ARENA struct arena *arena = arena_create(1024);
        const struct instance_type *type = find(name);
        assert_non_null(type);
        struct resource_map allocatable = instance_type_allocatable(arena, type, NULL);
        json_object_foreach (json_object_get(expected, "allocatable"), resource, quantity) {
            int64_t wanted;
            assert_true(quantity_parse(resource, json_string_value(quantity), &wanted, NULL));
            if (resource_map_get(&allocatable, resource) != wanted)
                fail_msg("%s %s: expected %lld, got %lld", name, resource, (long long)wanted,
                         (long long)resource_map_get(&allocatable, resource));
            checked++;
        }
    }
    assert_true(checked > 5000);
}

static bool page_is_older(const char *type, const char *label)
{
    return strcmp(label, "karpenter.k8s.aws/nitro-sandbox") == 0 ||
           (strcmp(label, "karpenter.k8s.aws/instance-network-bandwidth") == 0 &&
            text_starts_with(type, "g7."));
}

static void labels_equal_oracle_AWI_40_to_69(void **state)
{
    (void)state;
    json_t *expected, *value;
    const char *name, *key;
    json_object_foreach (json_object_get(oracle, "types"), name, expected) {
        const struct instance_type *type = find(name);
        json_t *labels = json_object_get(expected, "labels");
        json_object_foreach (labels, key, value) {
            const char *found = requirement_single_value(&type->requirements, key);
            if (!page_is_older(name, key) && !text_equal(found, json_string_value(value)))
                fail_msg("%s %s: expected %s, got %s", name, key, json_string_value(value),
                         found != NULL ? found : "(none)");
        }
        list_for_each (requirement, &type->requirements) // and no others
        {
            const char *single = requirement_single_value(&type->requirements, requirement->key);
            if (single != NULL && strcmp(requirement->key, LABEL_REGION) != 0 &&
                strcmp(requirement->key, LABEL_CAPACITY_TYPE) != 0 &&
                !page_is_older(name, requirement->key) &&
                json_object_get(labels, requirement->key) == NULL)
                fail_msg("%s: label %s=%s is not expected", name, requirement->key, single);
        }
    }
}

static void mac_types_never_appear_AWI_1(void **state)
{
    (void)state;
    list_for_each (type, &catalog->spec.instance_types)
        assert_false(text_starts_with(type->name, "mac"));
    assert_int_equal(catalog->spec.instance_types.count, 1365);
}

static void offerings_cover_zones_and_capacity_types_AWI_160(void **state)
{
    (void)state;
    const struct instance_type *type = find("m5.large");
    assert_int_equal(type->offerings.count, 6);
    assert_true(type->offerings.items[0].available);
    assert_int_equal(type->offerings.items[0].price, 96000000);
    assert_int_equal(type->offerings.items[3].price, 31680000); // spot, of the lists (AWI-916)
    assert_int_equal(type->offerings.items[3].interruptions, 125000000);
    list_for_each (other, &catalog->spec.instance_types)
        list_for_each (offering, &other->offerings)
            assert_true(offering->available == (offering->price > 0));
}

// A share of the list price, for every type where it is asked for, else where the lists have none.
static void unknown_spot_prices_are_a_share_AWI_916(void **state)
{
    (void)state;
    struct error error = {0};
    struct ec2_catalog_options options = {.memory_overhead_fraction = -1, .spot_share = 0.5};
    const struct instance_type *newer = find("m8i.large");
    assert_int_equal(newer->offerings.items[3].price,
                     (int64_t)(0.4 * (double)newer->offerings.items[0].price + 0.5));
    assert_int_equal(newer->offerings.items[3].interruptions, 0);
    const struct instance_type_catalog *flat = ec2_catalog_create(&options, &error);
    assert_non_null(flat);
    list_for_each (type, &flat->spec.instance_types)
        if (strcmp(type->name, "m5.large") == 0) {
            assert_int_equal(type->offerings.items[3].price, 48000000);
            assert_int_equal(type->offerings.items[3].interruptions, 0);
        }
    object_release((const struct object *)flat);
}

static void reserved_cpu_in_ranges_AWI_111(void **state)
{
    (void)state;
    assert_int_equal(ec2_kube_reserved_cpu(1000), 60);
    assert_int_equal(ec2_kube_reserved_cpu(2000), 70);
    assert_int_equal(ec2_kube_reserved_cpu(4000), 80);
    assert_int_equal(ec2_kube_reserved_cpu(8000), 90);
    assert_int_equal(ec2_kube_reserved_cpu(16000), 110);
    assert_int_equal(ec2_kube_reserved_cpu(96000), 310);
}

static void memory_after_overhead_AWI_92(void **state)
{
    (void)state;
    assert_int_equal(ec2_memory_bytes(8192, false, 0.075), INT64_C(7577) << 20);
    assert_int_equal(ec2_memory_bytes(2048, true, 0.075), INT64_C(1835) << 20);
}

static void unknown_region_is_an_error(void **state)
{
    (void)state;
    struct error error = {0};
    struct ec2_catalog_options options = {.region = "mars-1", .memory_overhead_fraction = -1};
    assert_null(ec2_catalog_create(&options, &error));
    assert_non_null(strstr(error.message, "mars-1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocatable_equals_oracle_AWI_90_to_115),
        cmocka_unit_test(labels_equal_oracle_AWI_40_to_69),
        cmocka_unit_test(mac_types_never_appear_AWI_1),
        cmocka_unit_test(offerings_cover_zones_and_capacity_types_AWI_160),
        cmocka_unit_test(unknown_spot_prices_are_a_share_AWI_916),
        cmocka_unit_test(reserved_cpu_in_ranges_AWI_111),
        cmocka_unit_test(memory_after_overhead_AWI_92),
        cmocka_unit_test(unknown_region_is_an_error),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
