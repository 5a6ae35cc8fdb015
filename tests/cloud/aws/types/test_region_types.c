// The built-in instance types of regions, and the names of regions and zones: AWI-916, GUI-13.
#include "support/cmocka_all.h"

#include <string.h>

#include "base/text.h"
#include "cloud/aws/types/region_prices.h"
#include "cloud/aws/types/region_types.h"
#include "cloud/aws/types/region_zones.h"
#include "model/reading/catalog.h"

static const struct instance_type *type_of(const struct instance_type_catalog *catalog,
                                           const char *name)
{
    list_for_each (type, &catalog->spec.instance_types)
        if (strcmp(type->name, name) == 0)
            return type;
    return NULL;
}

static const struct instance_type_catalog *catalog_of(const char *region)
{
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    struct error error = {0};
    const struct instance_type_catalog *catalog =
        ec2_regions.catalog(region, ec2_regions.zones(arena, region), NULL, &error);
    assert_non_null(catalog);
    return catalog;
}

static void assert_zones_known(const struct instance_type *type)
{
    list_for_each (offering, &type->offerings)
        assert_true(zone_is_known(requirement_single_value(&offering->requirements, LABEL_ZONE)));
}

static void assert_offerings(const struct instance_type *type, const struct region_price *price,
                             const char *region, uint32_t zones)
{
    // Some types are on demand only.
    assert_true(type->offerings.count == zones || type->offerings.count == 2 * zones);
    assert_string_equal(requirement_single_value(&type->requirements, LABEL_REGION), region);
    list_for_each (offering, &type->offerings) {
        const char *capacity =
            requirement_single_value(&offering->requirements, LABEL_CAPACITY_TYPE);
        const char *zone = requirement_single_value(&offering->requirements, LABEL_ZONE);
        assert_true(offering->available);
        assert_true(text_starts_with(zone, region));
        if (strcmp(capacity, CAPACITY_TYPE_ON_DEMAND) == 0)
            assert_int_equal(offering->price, price->on_demand);
        else if (price->spot > 0)
            assert_int_equal(offering->price, price->spot);
    }
}

// Every listed type that has facts is there, with the region's prices in all its zones; of those
// that the list lacks only newer ones.
static void types_zones_and_prices_are_those_of_the_region_AWI_916(void **state)
{
    (void)state;
    static const struct {
        const char *region;
        uint32_t zones;
    } rows[] = {{"us-east-1", 6},      {"us-east-2", 3},      {"us-west-1", 2},
                {"us-west-2", 4},      {"eu-west-1", 3},      {"eu-central-1", 3},
                {"eu-north-1", 3},     {"ap-northeast-1", 3}, {"ap-northeast-2", 4},
                {"ap-southeast-2", 3}, {"sa-east-1", 3},      {"af-south-1", 3}};
    struct region_prices *base = region_prices_create("us-east-1");
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        const struct instance_type_catalog *catalog = catalog_of(rows[i].region);
        struct region_prices *prices = region_prices_create(rows[i].region);
        uint32_t listed = 0, estimated = 0;
        assert_zones_known(&catalog->spec.instance_types.items[0]);
        list_for_each (type, &catalog->spec.instance_types) {
            const struct region_price *price = region_prices_find(prices, type->name);
            assert_non_null(price);
            assert_offerings(type, price, rows[i].region, rows[i].zones);
            listed += !price->estimate;
            estimated += price->estimate;
            if (price->estimate) // newer than the lists
                assert_int_equal(region_prices_find(base, type->name)->zones, 0);
        }
        assert_true(listed >= 200);
        assert_true((estimated > 0) == (i > 0));
        region_prices_destroy(prices);
        object_release((const struct object *)catalog);
    }
    region_prices_destroy(base);
}

static void types_that_a_region_does_not_offer_are_left_out(void **state)
{
    (void)state;
    const struct instance_type_catalog *catalog = catalog_of("af-south-1");
    assert_non_null(type_of(catalog, "c5.large"));
    assert_null(type_of(catalog, "c7g.large"));     // elsewhere since long
    assert_non_null(type_of(catalog, "m8i.large")); // newer than the list
    object_release((const struct object *)catalog);
    catalog = catalog_of("cn-northwest-1"); // without a list: everything is an estimate
    assert_non_null(type_of(catalog, "c5.large"));
    object_release((const struct object *)catalog);
}

static void local_zones_offer_what_their_list_has_AWI_916(void **state)
{
    (void)state;
    static const char *const zones[] = {"us-west-2-lax-1a", "us-west-2a", NULL};
    struct error error = {0};
    const struct instance_type_catalog *catalog =
        ec2_regions.catalog("us-west-2", zones, NULL, &error);
    struct region_prices *local = region_prices_create("us-west-2-lax-1");
    uint32_t here = 0;
    list_for_each (type, &catalog->spec.instance_types)
        list_for_each (offering, &type->offerings) {
            if (strcmp(requirement_single_value(&offering->requirements, LABEL_ZONE), zones[0]) !=
                0)
                continue;
            const struct region_price *price = region_prices_find(local, type->name);
            assert_true(offering->available == (price != NULL && !price->estimate));
            const char *capacity =
                requirement_single_value(&offering->requirements, LABEL_CAPACITY_TYPE);
            if (offering->available && strcmp(capacity, CAPACITY_TYPE_ON_DEMAND) == 0) {
                assert_int_equal(offering->price, price->on_demand);
                here++;
            }
        }
    assert_true(here > 40);
    region_prices_destroy(local);
    object_release((const struct object *)catalog);
}

static void names_of_regions_and_zones(void **state)
{
    (void)state;
    static const char *const known[] = {"eu-west-1a",      "us-east-1f",
                                        "ap-northeast-1d", "us-west-2-lax-1a",
                                        "cn-north-1d",     "ca-central-1d",
                                        "us-west-1b",      "us-gov-west-1c",
                                        "mx-central-1a",   "us-east-1-wl1-bos-wlz-1"};
    static const char *const unknown[] = {
        "eu-west-1z",  "eu-west-1d", "eu-west-9a",       "eu-west-1", "euw1-az1",
        "test-zone-1", "",           "us-west-2-xyz-1a", "mars-1a",   "eu-wst-1a"};
    for (size_t i = 0; i < ARRAY_LENGTH(known); i++)
        if (!zone_is_known(known[i]))
            fail_msg("%s", known[i]);
    for (size_t i = 0; i < ARRAY_LENGTH(unknown); i++)
        if (zone_is_known(unknown[i]))
            fail_msg("%s", unknown[i]);
    char region[REGION_NAME_MAX];
    assert_true(zone_region("us-west-2-lax-1a", region));
    assert_string_equal(region, "us-west-2");
    assert_false(zone_region("zone-a", region));
    assert_true(region_is_known("eu-isoe-west-1") && !region_is_known("eu-west-1a"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_zones_and_prices_are_those_of_the_region_AWI_916),
        cmocka_unit_test(types_that_a_region_does_not_offer_are_left_out),
        cmocka_unit_test(local_zones_offer_what_their_list_has_AWI_916),
        cmocka_unit_test(names_of_regions_and_zones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
