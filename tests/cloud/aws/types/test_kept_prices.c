// Prices at the start: lists of regions and zones, last known ones (AWI-201, 916, 917).
#include "support/cmocka_all.h"

#include <string.h>

#include "base/duration.h"
#include "base/loop_virtual.h"
#include "base/memory.h"
#include "cloud/aws/types/kept_prices.h"

static struct ec2_prices *prices_of(struct loop *loop, const char *region, bool upstream)
{
    return ec2_prices_create(
        &(struct ec2_prices_options){.loop = loop, .region = region, .upstream = upstream});
}

static int64_t on_demand(const struct ec2_prices *prices, const char *type)
{
    int64_t price;
    return ec2_price_on_demand(prices, type, &price) ? price : -1;
}

static int64_t spot(const struct ec2_prices *prices, const char *type, const char *zone)
{
    int64_t price;
    return ec2_price_spot(prices, type, zone, &price) ? price : -1;
}

static int64_t in_zone(const struct ec2_prices *prices, const char *type, const char *zone)
{
    int64_t price;
    return ec2_price_on_demand_in(prices, type, zone, &price) ? price : -1;
}

// By COMPATIBILITY=upstream us-east-1's list stands for all regions without one.
static void a_region_starts_with_its_list_AWI_201_916(void **state)
{
    static const struct {
        const char *region;
        bool upstream, listed;
        int64_t price;
    } cases[] = {
        {"eu-west-1", false, true, 107000000},     {"eu-west-1", true, false, 96000000},
        {"us-gov-west-1", false, true, 121000000}, {"us-gov-west-1", true, true, 121000000},
        {"cn-northwest-1", true, false, 96000000}, {"eu-south-9", false, false, 96000000},
        {"us-east-1", false, true, 96000000},
    };
    (void)state;
    struct loop *loop = loop_create_virtual(0);
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct ec2_prices *prices = prices_of(loop, cases[i].region, cases[i].upstream);
        assert_int_equal(on_demand(prices, "m5.large"), cases[i].price);
        assert_int_equal(ec2_prices_listed(prices), cases[i].listed);
        assert_true(on_demand(prices, "m8i.large") > 0); // estimated where the list lacks it
        ec2_prices_destroy(prices);
    }
    struct ec2_prices *china = prices_of(loop, "cn-northwest-1", false);
    assert_int_equal(on_demand(china, "c3.2xlarge"), INT64_C(4217000000)); // CNY
    assert_true(on_demand(china, "m8i.large") > 5 * INT64_C(100000000));
    ec2_prices_destroy(china);
    loop_destroy(loop);
}

static void local_zones_have_prices_of_their_own_AWI_917(void **state)
{
    (void)state;
    struct loop *loop = loop_create_virtual(0);
    struct ec2_prices *prices = prices_of(loop, "us-west-2", false);
    struct ec2_prices *east = prices_of(loop, "us-east-1", false);
    struct ec2_prices *upstream = prices_of(loop, "us-west-2", true);
    int64_t there = on_demand(prices, "c5.large");
    assert_int_equal(in_zone(prices, "c5.large", "us-west-2a"), there);
    assert_int_equal(in_zone(prices, "c5.large", "us-west-2-lax-1a"), there * 12 / 10);
    assert_int_equal(spot(prices, "c5.large", "us-west-2-lax-1b"), there * 12 / 10);
    assert_int_equal(in_zone(upstream, "c5.large", "us-west-2-lax-1a"), there);
    assert_int_equal(in_zone(prices, "c5.large", "us-west-2-xyz-1a"), there); // not listed
    assert_int_equal(in_zone(prices, "x0.none", "us-west-2-lax-1a"), -1);
    // A wavelength zone.
    there = on_demand(east, "t3.medium");
    assert_true(in_zone(east, "t3.medium", "us-east-1-wl1-atl-wlz-1") > there * 12 / 10);
    ec2_prices_destroy(prices);
    ec2_prices_destroy(east);
    ec2_prices_destroy(upstream);
    loop_destroy(loop);
}

static json_t *kept_of(const char *region)
{
    return json_pack("{s:s, s:{s:f, s:f}, s:{s:{s:f, s:s}}}", "region", region, "onDemand",
                     "m5.large", 0.5, "m5.xlarge", -1.0, "spot", "m5.large", "eu-west-1a", 0.03,
                     "eu-west-1b", "free");
}

// Only what AWS has told is kept: built-in prices may be newer in the next release.
static void last_known_prices_are_laid_over_AWI_916(void **state)
{
    (void)state;
    struct loop *loop = loop_create_virtual(24 * HOUR);
    struct ec2_prices *prices = prices_of(loop, "eu-west-1", false);
    json_t *kept = kept_prices_encode(prices, true);
    assert_int_equal(json_object_size(json_object_get(kept, "onDemand")), 0);
    json_decref(kept);
    json_t *other = kept_of("eu-west-2"), *own = kept_of("eu-west-1");
    uint64_t before = ec2_prices_generation(prices);
    assert_int_equal(kept_prices_recall(prices, other), 0);
    assert_int_equal(ec2_prices_generation(prices), before);
    assert_int_equal(on_demand(prices, "m5.large"), 107000000);
    assert_int_equal(kept_prices_recall(prices, own), 2); // no prices
    assert_true(ec2_prices_generation(prices) > before);
    assert_int_equal(on_demand(prices, "m5.large"), 500000000);
    assert_int_equal(on_demand(prices, "m5.xlarge"), 214000000);
    assert_int_equal(spot(prices, "m5.large", "eu-west-1a"), 30000000);
    assert_int_equal(spot(prices, "m5.large", "eu-west-1b"), -1);
    kept = kept_prices_encode(prices, true);
    assert_int_equal(json_object_size(json_object_get(kept, "onDemand")), 1);
    assert_int_equal(json_object_size(json_object_get(kept, "spot")), 1);
    struct ec2_prices *next = prices_of(loop, "eu-west-1", false);
    assert_int_equal(kept_prices_recall(next, kept), 0);
    assert_int_equal(on_demand(next, "m5.large"), 500000000);
    json_decref(kept);
    json_decref(other);
    json_decref(own);
    ec2_prices_destroy(next);
    ec2_prices_destroy(prices);
    loop_destroy(loop);
}

// Anything may stand in the ConfigMap.
static void other_values_are_no_prices_AWI_916(void **state)
{
    static const char *const values[] = {
        "[]",
        "{\"region\": 1}",
        "{\"region\": \"eu-west-1\", \"onDemand\": [], \"spot\": 7}",
        "{\"region\": \"eu-west-1\", \"spot\": {\"m5.large\": []}}",
        "{\"region\": \"eu-west-1\", \"onDemand\": {\"m5.large\": 1e300, \"a.b\": null}}",
    };
    (void)state;
    struct loop *loop = loop_create_virtual(24 * HOUR);
    struct ec2_prices *prices = prices_of(loop, "eu-west-1", false);
    for (size_t i = 0; i < ARRAY_LENGTH(values); i++) {
        json_t *value = json_loads(values[i], 0, NULL);
        assert_non_null(value);
        assert_int_equal(kept_prices_recall(prices, value), i == 4 ? 2 : 0);
        json_decref(value);
    }
    assert_int_equal(on_demand(prices, "m5.large"), 107000000);
    assert_int_equal(spot(prices, "m5.large", "eu-west-1a"), 107000000);
    ec2_prices_destroy(prices);
    loop_destroy(loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_region_starts_with_its_list_AWI_201_916),
        cmocka_unit_test(local_zones_have_prices_of_their_own_AWI_917),
        cmocka_unit_test(last_known_prices_are_laid_over_AWI_916),
        cmocka_unit_test(other_values_are_no_prices_AWI_916),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
