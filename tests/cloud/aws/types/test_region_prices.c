// Prices of regions, built in: AWI-916.
#include "support/cmocka_all.h"

#include <string.h>

#include "base/text.h"
#include "cloud/aws/types/region_prices.h"

static const struct region_price *price_of(const struct region_prices *prices, const char *type)
{
    const struct region_price *price = region_prices_find(prices, type);
    assert_non_null(price);
    return price;
}

// The region's list price, spot price and zones; a type that the list lacks by the factor.
static void a_region_has_its_own_prices_AWI_916(void **state)
{
    (void)state;
    struct region_prices *prices = region_prices_create("eu-west-1");
    assert_true(prices->listed);
    assert_string_equal(prices->currency, "USD");
    assert_int_equal(prices->zones_count, 3);
    assert_string_equal(prices->zones[0], "euw1-az1");
    const struct region_price *known = price_of(prices, "m5.large");
    assert_int_equal(known->on_demand, 107000000);
    assert_false(known->estimate);
    assert_int_equal(known->zones, 7);
    assert_true(known->spot > 0 && known->spot < known->on_demand);
    assert_int_equal(known->interruptions, 25000000);         // less than 5 % in a month (SCH-507)
    assert_int_equal(price_of(prices, "a1.large")->zones, 3); // two of the zones
    const struct region_price *guessed = price_of(prices, "m8i.large");
    assert_true(guessed->estimate);
    assert_int_equal(guessed->spot, 0);
    assert_int_equal(guessed->zones, 0);
    struct region_prices *base = region_prices_create("us-east-1");
    int64_t there = price_of(base, "m8i.large")->on_demand;
    assert_false(price_of(base, "m8i.large")->estimate);
    assert_true(guessed->on_demand > there * 11 / 10 && guessed->on_demand < there * 12 / 10);
    assert_null(region_prices_find(prices, "m5.nano"));
    region_prices_destroy(base);
    region_prices_destroy(prices);
}

// The factor is the family's, where the region has the family.
static void factors_are_of_the_family_AWI_916(void **state)
{
    (void)state;
    struct region_prices *base = region_prices_create("us-east-1");
    struct region_prices *prices = region_prices_create("ap-south-1");
    const struct region_price *p5 = price_of(prices, "p5.4xlarge"),
                              *other = price_of(prices, "m8i.large");
    assert_true(p5->estimate && other->estimate);
    assert_int_equal(p5->on_demand / 1000,
                     price_of(base, "p5.4xlarge")->on_demand * 12 / 10 / 1000);
    assert_int_equal(other->on_demand / 1000,
                     price_of(base, "m8i.large")->on_demand * 1001 / 1000 / 1000);
    region_prices_destroy(prices);
    region_prices_destroy(base);
}

// China's prices are in CNY alone, also where they are estimates.
static void china_has_one_currency_AWI_916(void **state)
{
    static const char *const regions[] = {"cn-north-1", "cn-northwest-1", "cn-south-9"};
    (void)state;
    struct region_prices *base = region_prices_create("us-east-1");
    for (size_t i = 0; i < ARRAY_LENGTH(regions); i++) {
        struct region_prices *prices = region_prices_create(regions[i]);
        assert_string_equal(prices->currency, "CNY");
        assert_int_equal(prices->listed, i == 0);
        assert_int_equal(price_of(prices, "c3.2xlarge")->on_demand, INT64_C(4217000000));
        for (uint32_t j = 0; j < prices->count; j++) {
            const struct region_price *usd =
                region_prices_find(base, prices->prices[j].instance_type);
            if (usd != NULL)
                assert_true(prices->prices[j].on_demand > 3 * usd->on_demand);
        }
        assert_true(prices->count > 1000);
        region_prices_destroy(prices);
    }
    region_prices_destroy(base);
}

static void zones_and_unknown_regions_have_prices_AWI_916(void **state)
{
    (void)state;
    struct region_prices *local = region_prices_create("us-west-2-lax-1");
    struct region_prices *parent = region_prices_create("us-west-2");
    struct region_prices *unknown = region_prices_create("eu-north-7");
    struct region_prices *gov = region_prices_create("us-gov-south-1");
    assert_true(local->listed && parent->listed);
    assert_false(price_of(local, "c5.large")->estimate);
    assert_true(price_of(local, "c5.large")->on_demand > price_of(parent, "c5.large")->on_demand);
    assert_true(price_of(local, "m8i.large")->on_demand >
                price_of(parent, "m8i.large")->on_demand * 11 / 10);
    assert_false(unknown->listed);
    assert_int_equal(price_of(unknown, "m5.large")->on_demand, 96000000);
    assert_true(price_of(unknown, "m5.large")->estimate);
    assert_int_equal(price_of(gov, "m5.large")->on_demand, 121000000);
    region_prices_destroy(local);
    region_prices_destroy(parent);
    region_prices_destroy(unknown);
    region_prices_destroy(gov);
}

static void regions_are_listed(void **state)
{
    (void)state;
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    const char *const *regions = region_prices_regions(arena, false);
    const char *const *all = region_prices_regions(arena, true);
    uint32_t count = 0, whole = 0;
    for (; regions[count] != NULL; count++)
        assert_true(count == 0 || strcmp(regions[count - 1], regions[count]) < 0);
    for (; all[whole] != NULL; whole++) {
        struct region_prices *prices = region_prices_create(all[whole]);
        assert_true(prices->listed);
        region_prices_destroy(prices);
    }
    assert_int_equal(count, 35); // 34 and cn-north-1
    assert_int_equal(whole, 35 + 66);
    assert_string_equal(regions[0], "af-south-1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_region_has_its_own_prices_AWI_916),
        cmocka_unit_test(factors_are_of_the_family_AWI_916),
        cmocka_unit_test(china_has_one_currency_AWI_916),
        cmocka_unit_test(zones_and_unknown_regions_have_prices_AWI_916),
        cmocka_unit_test(regions_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
