// The built-in catalogue of regions against what EC2 has told of them: types, zones, prices
// (AWI-916).
//
// Without argument the facts are a sample; region_facts.py compares all regions and types.
#include "support/cmocka_all.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/quantity.h"
#include "cloud/aws/types/built_in_types.h"
#include "cloud/aws/types/region_prices.h"
#include "cloud/aws/types/region_types.h"
#include "model/reading/catalog.h"

static const char *facts_path = CLOUD_DATA "/region-facts.json";

struct fact { // of a type in a region; 0: unknown
    double on_demand, spot;
    int band, zones;
};

static uint32_t differences, compared;

static void expect(bool holds, const char *region, const char *type, const char *what)
{
    compared++;
    differences += !holds;
    if (!holds && differences < 20)
        print_message("%s %s: %s\n", region, type, what);
}

static bool is_price(int64_t price, double expected)
{
    return llabs(price - price_from_double(expected)) <= 1;
}

// A region's list price, its spot price and band of interruptions in each zone. A spot price that
// nobody knows is an estimate, and not said to be interrupted.
static void compare_offerings(const char *region, const struct instance_type *type,
                              const struct fact *fact)
{
    static const double interruptions[] = {0, 0.025, 0.075, 0.125, 0.175, 0.25};
    list_for_each (offering, &type->offerings) {
        const char *capacity =
            requirement_single_value(&offering->requirements, LABEL_CAPACITY_TYPE);
        if (strcmp(capacity, CAPACITY_TYPE_ON_DEMAND) == 0) {
            expect(is_price(offering->price, fact->on_demand), region, type->name, "list price");
            continue;
        }
        double spot = fact->spot > 0 ? fact->spot : fact->on_demand * EC2_SPOT_SHARE;
        expect(is_price(offering->price, spot), region, type->name, "spot price");
        expect(is_price(offering->interruptions, interruptions[fact->band]), region, type->name,
               "interruptions");
    }
}

static void compare_type(const char *region, const struct region_prices *prices,
                         const struct instance_type *type, const json_t *told)
{
    struct fact fact;
    const struct region_price *price = region_prices_find(prices, type->name);
    if (json_is_null(told)) {
        expect(false, region, type->name, "the region does not offer it");
        return;
    }
    assert_int_equal(
        json_unpack((json_t *)told, "[FFii]", &fact.on_demand, &fact.spot, &fact.band, &fact.zones),
        0);
    expect(price != NULL && !price->estimate, region, type->name, "its price is no estimate");
    expect(price != NULL && __builtin_popcountll(price->zones) == fact.zones, region, type->name,
           "zones that offer it");
    compare_offerings(region, type, &fact);
}

static void compare_region(const char *region, const json_t *told)
{
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    struct error error = {0};
    const char *const *zones = ec2_regions.zones(arena, region);
    int zones_told = (int)json_integer_value(json_object_get(told, "zones"));
    uint32_t count = 0;
    while (zones[count] != NULL)
        count++;
    expect((int)count == (zones_told > 0 ? zones_told : 3), region, "", "number of zones");
    const struct instance_type_catalog *catalog = ec2_regions.catalog(region, zones, NULL, &error);
    assert_non_null(catalog);
    struct region_prices *prices = region_prices_create(region);
    struct map *missing = map_create();
    const char *name;
    json_t *facts;
    json_object_foreach (json_object_get(told, "types"), name, facts)
        if (!json_is_null(facts))
            map_ensure(missing, name, 1);
    list_for_each (type, &catalog->spec.instance_types) {
        facts = json_object_get(json_object_get(told, "types"), type->name);
        if (facts != NULL)
            compare_type(region, prices, type, facts);
        free(map_remove(missing, type->name));
    }
    for (struct map_entry *entry = map_first(missing); entry != NULL; entry = map_next(entry))
        expect(false, region, map_key(entry), "is not in the catalogue");
    map_destroy(missing, free);
    region_prices_destroy(prices);
    object_release((const struct object *)catalog);
}

static void types_zones_and_prices_are_as_told_AWI_916(void **state)
{
    (void)state;
    const char *region;
    json_t *told, *all = json_load_file(facts_path, 0, NULL);
    assert_non_null(all);
    assert_true(json_object_size(all) >= 12);
    json_object_foreach (all, region, told)
        compare_region(region, told);
    json_decref(all);
    print_message("%u facts\n", compared);
    assert_int_equal(differences, 0);
    assert_true(compared > 1000);
}

int main(int argc, char **argv)
{
    if (argc == 2)
        facts_path = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_zones_and_prices_are_as_told_AWI_916)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
