// Memories of shortages, reservations and placement groups; prices; learned memory.
#include "support/cmocka_all.h"

#include <string.h>

#include "base/loop_virtual.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "cloud/aws/fake_aws.h"
#include "cloud/aws/types/ec2_prices.h"
#include "cloud/aws/types/kept_prices.h"
#include "cloud/aws/types/learned_memory.h"
#include "cloud/aws/types/own_prices.h"
#include "cloud/aws/types/placement_group.h"
#include "cloud/aws/types/reservation_counts.h"
#include "cloud/aws/types/shortage_cause.h"
#include "cloud/aws/types/unavailable_offerings.h"

static struct loop *loop;
static uint32_t changes, ends;
static struct error last_error;

static void count_change(void *context)
{
    (void)context;
    changes++;
}

static void note_end(void *context, const struct error *error)
{
    (void)context;
    ends++;
    last_error = *error;
}

static int set_up(void **state)
{
    (void)state;
    loop = loop_create_virtual(INT64_C(1767225600) * SECOND);
    changes = ends = 0;
    last_error = (struct error){0};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    loop_destroy(loop);
    return 0;
}

// --- shortages -----------------------------------------------------------------------------------

static const struct unavailable_pool pool = {"m5.large", "us-west-2a", "spot", NULL, NULL};

static struct unavailable_offerings *shortages(bool upstream)
{
    return unavailable_offerings_create(
        &(struct unavailable_options){.loop = loop, .upstream = upstream, .changed = count_change});
}

static void upstream_remembers_three_minutes_AWI_181(void **state)
{
    (void)state;
    struct unavailable_offerings *offerings = shortages(true);
    unavailable_mark_pool(offerings, &pool, "InsufficientInstanceCapacity", "fleet-1");
    assert_true(unavailable_has_pool(offerings, &pool));
    assert_int_equal(unavailable_sequence(offerings, "m5.large"), 1);
    unavailable_succeeded(offerings, &pool); // AWI-182: nothing unmarks
    assert_true(unavailable_has_pool(offerings, &pool));
    assert_int_equal(unavailable_sequence(offerings, "m5.xlarge"), 0); // AWI-187
    loop_run_for(loop, 2 * MINUTE);
    unavailable_mark_pool(offerings, &pool, "Unsupported", NULL); // restarts the three minutes
    loop_run_for(loop, 2 * MINUTE);
    assert_true(unavailable_has_pool(offerings, &pool));
    loop_run_for(loop, MINUTE + 10 * SECOND); // the sweep
    assert_false(unavailable_has_pool(offerings, &pool));
    assert_int_equal(unavailable_sequence(offerings, "m5.large"), 3);
    assert_int_equal(changes, 3);
    unavailable_mark_capacity_type(offerings, "spot");
    unavailable_mark_subnet(offerings, "subnet-1");
    assert_true(unavailable_has_capacity_type(offerings, "spot"));
    assert_false(unavailable_has_capacity_type(offerings, "on-demand"));
    assert_true(unavailable_has_subnet(offerings, "subnet-1"));
    assert_int_equal(unavailable_sequence(offerings, "m5.xlarge"), 2);
    unavailable_offerings_destroy(offerings);
}

static void the_sweep_makes_available_AWI_751(void **state)
{
    (void)state;
    struct unavailable_offerings *offerings = shortages(true);
    const struct unavailable_pool earlier = {"c5.large", "us-west-2a", "spot", NULL, NULL};
    unavailable_mark_pool(offerings, &earlier, "InsufficientInstanceCapacity", NULL);
    loop_run_for(loop, 5 * SECOND);
    unavailable_mark_pool(offerings, &pool, "InsufficientInstanceCapacity", NULL);
    loop_run_for(loop, 3 * MINUTE);
    assert_true(unavailable_has_pool(offerings, &pool)); // up to 10 s late
    assert_int_equal(unavailable_sequence(offerings, "m5.large"), 1);
    loop_run_for(loop, 10 * SECOND);
    assert_false(unavailable_has_pool(offerings, &pool));
    assert_int_equal(unavailable_sequence(offerings, "m5.large"), 2);
    unavailable_offerings_destroy(offerings);
}

static void scopes_are_exact_AWI_180(void **state)
{
    (void)state;
    struct unavailable_offerings *offerings = shortages(true);
    struct unavailable_pool group = pool, partition = pool;
    group.group_id = partition.group_id = "pg-1";
    partition.partition = "2";
    unavailable_mark_pool(offerings, &group, "InsufficientInstanceCapacity", NULL);
    assert_true(unavailable_has_pool(offerings, &group));
    assert_false(unavailable_has_pool(offerings, &pool));
    assert_false(unavailable_has_pool(offerings, &partition));
    unavailable_offerings_destroy(offerings);
}

static void pools_back_off_AWI_928(void **state)
{
    (void)state;
    struct unavailable_offerings *offerings = shortages(false);
    for (int64_t minutes = 1; minutes <= 4; minutes *= 2) {
        unavailable_mark_pool(offerings, &pool, "InsufficientInstanceCapacity", NULL);
        unavailable_mark_pool(offerings, &pool, "InsufficientInstanceCapacity", NULL); // same try
        loop_run_for(loop, minutes * MINUTE - SECOND);
        assert_true(unavailable_has_pool(offerings, &pool));
        loop_run_for(loop, 11 * SECOND);
        assert_false(unavailable_has_pool(offerings, &pool));
    }
    unavailable_succeeded(offerings, &pool); // 4 min -> 2 min, and then doubled
    unavailable_mark_pool(offerings, &pool, "InsufficientInstanceCapacity", NULL);
    loop_run_for(loop, 4 * MINUTE + 10 * SECOND);
    assert_false(unavailable_has_pool(offerings, &pool));
    loop_run_for(loop, 2 * HOUR); // forgotten
    unavailable_mark_pool(offerings, &pool, "InsufficientInstanceCapacity", NULL);
    loop_run_for(loop, MINUTE + 10 * SECOND);
    assert_false(unavailable_has_pool(offerings, &pool));
    unavailable_offerings_destroy(offerings);
}

static void causes_have_their_own_reach_AWI_928(void **state)
{
    (void)state;
    struct unavailable_offerings *offerings = shortages(false);
    const struct unavailable_pool other_type = {"c7g.large", "us-west-2b", "spot", NULL, NULL};
    const struct unavailable_pool gpu = {"g5.xlarge", "us-west-2b", "spot", NULL, NULL};
    const struct unavailable_pool on_demand = {"m5.large", "us-west-2a", "on-demand", NULL, NULL};
    unavailable_mark_pool(offerings, &pool, "UnauthorizedOperation", NULL);
    unavailable_mark_pool(offerings, &pool, "InsufficientFreeAddressesInSubnet", NULL);
    assert_false(unavailable_has_pool(offerings, &pool));
    unavailable_mark_pool(offerings, &pool, "VcpuLimitExceeded", NULL);
    assert_true(unavailable_has_pool(offerings, &other_type));
    assert_false(unavailable_has_pool(offerings, &gpu));
    assert_false(unavailable_has_pool(offerings, &on_demand));
    loop_run_for(loop, 5 * MINUTE + 10 * SECOND);
    assert_false(unavailable_has_pool(offerings, &other_type));
    unavailable_mark_pool(offerings, &pool, "Unsupported", NULL);
    loop_run_for(loop, 23 * HOUR);
    assert_true(unavailable_has_pool(offerings, &on_demand));
    assert_false(unavailable_has_pool(offerings, &other_type));
    unavailable_mark_pool(offerings, &pool, "MaxFleetCountExceeded", NULL);
    assert_true(unavailable_has_pool(offerings, &gpu));
    loop_run_for(loop, 40 * SECOND);
    assert_false(unavailable_has_pool(offerings, &gpu));
    unavailable_offerings_destroy(offerings);
}

static void quotas_by_family_AWI_928(void **state)
{
    (void)state;
    assert_string_equal(shortage_quota_of("m5.large"), "standard");
    assert_string_equal(shortage_quota_of("c7i-flex.large"), "standard");
    assert_string_equal(shortage_quota_of("im4gn.large"), "standard");
    assert_string_equal(shortage_quota_of("gr6.4xlarge"), "g");
    assert_string_equal(shortage_quota_of("vt1.3xlarge"), "g");
    assert_string_equal(shortage_quota_of("p4d.24xlarge"), "p");
    assert_string_equal(shortage_quota_of("u-6tb1.metal"), "u");
    static const struct {
        const char *reason, *type, *capacity_type, *expected; // NULL: no quota
    } cases[] = {
        {"VcpuLimitExceeded", "m5.large", "on-demand",
         "\"Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances\" in us-west-2"},
        {"MaxSpotInstanceCountExceeded", "g5.xlarge", "spot",
         "\"All G and VT Spot Instance Requests\" in us-west-2"},
        {"InsufficientInstanceCapacity", "m5.large", "spot", NULL},
        {"MaxFleetCountExceeded", "m5.large", "spot", NULL},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct text text = {0};
        assert_int_equal(shortage_quota_advise(cases[i].reason, cases[i].type,
                                               cases[i].capacity_type, "us-west-2", &text),
                         cases[i].expected != NULL);
        if (cases[i].expected != NULL) {
            assert_non_null(strstr(text.data, cases[i].expected));
            assert_non_null(strstr(text.data, cases[i].reason));
            assert_non_null(strstr(text.data, "Service Quotas"));
        }
        text_free(&text);
    }
}

// --- reservations --------------------------------------------------------------------------------

static void free_counts_AWN_134_AWI_615(void **state)
{
    (void)state;
    struct reservation_counts *counts = reservation_counts_create(loop);
    int64_t now = loop_now_ns(loop);
    assert_int_equal(reservation_counts_free(counts, "cr-1"), 0); // unknown
    reservation_counts_fetched(counts, "cr-1", 2, now);
    reservation_counts_launched(counts, "cr-1", now - SECOND); // the fetch has seen it
    assert_int_equal(reservation_counts_free(counts, "cr-1"), 2);
    uint64_t generation = reservation_counts_generation(counts);
    reservation_counts_launched(counts, "cr-1", now + SECOND);
    assert_int_equal(reservation_counts_free(counts, "cr-1"), 1);
    assert_true(reservation_counts_generation(counts) > generation);
    // AWI-941: asked before the launch: it is still to be subtracted.
    reservation_counts_fetched(counts, "cr-1", 2, now);
    assert_int_equal(reservation_counts_free(counts, "cr-1"), 1);
    reservation_counts_fetched(counts, "cr-1", 1, now + 2 * SECOND);
    assert_int_equal(reservation_counts_free(counts, "cr-1"), 1);
    reservation_counts_fetched(counts, "cr-1", 7, now); // a late answer
    assert_int_equal(reservation_counts_free(counts, "cr-1"), 1);
    reservation_counts_terminated(counts, "cr-1");
    assert_int_equal(reservation_counts_free(counts, "cr-1"), 2);
    reservation_counts_exhausted(counts, "cr-1");
    assert_int_equal(reservation_counts_free(counts, "cr-1"), 0);
    reservation_counts_terminated(counts, "cr-1");
    assert_int_equal(reservation_counts_free(counts, "cr-1"), 1);
    reservation_counts_launched(counts, "cr-1", now + 3 * SECOND);
    reservation_counts_launched(counts, "cr-1", now + 3 * SECOND); // never below 0
    reservation_counts_terminated(counts, "cr-1");
    assert_int_equal(reservation_counts_free(counts, "cr-1"), 1);
    loop_run_for(loop, 25 * HOUR);
    assert_int_equal(reservation_counts_free(counts, "cr-1"), 0);
    reservation_counts_destroy(counts);
}

// --- placement groups ----------------------------------------------------------------------------

static void groups_by_selector_AWN_150(void **state)
{
    (void)state;
    struct placement_groups *groups = placement_groups_create();
    struct ec2_placement_group_selector selector = {.name = "pg-1"}; // still a name
    struct ec2_node_class node_class = {0};
    const struct placement_group *group;
    char key[300];
    assert_int_equal(placement_groups_of(groups, &node_class, &group), PLACEMENT_GROUP_NONE);
    node_class.spec.placement_group_selector = &selector;
    assert_string_equal(placement_group_key(&node_class, key), "name/pg-1");
    assert_int_equal(placement_groups_of(groups, &node_class, &group), PLACEMENT_GROUP_UNKNOWN);
    placement_groups_resolved(groups, key, NULL);
    assert_int_equal(placement_groups_of(groups, &node_class, &group), PLACEMENT_GROUP_MISSING);
    const struct placement_group found = {"pg-9", "pg-1", "partition", NULL, 3};
    placement_groups_resolved(groups, key, &found);
    uint64_t generation = placement_groups_generation(groups);
    assert_int_equal(placement_groups_of(groups, &node_class, &group), PLACEMENT_GROUP_KNOWN);
    assert_int_equal(group->partitions, 3);
    placement_groups_resolved(groups, key, &found);
    assert_true(placement_groups_generation(groups) == generation);
    placement_groups_destroy(groups);
}

// --- learned memory ------------------------------------------------------------------------------

static void least_memory_counts_AWI_22_25(void **state)
{
    (void)state;
    struct learned_memory *memory = learned_memory_create(loop);
    const int64_t first = INT64_C(7919612) << 10, less = INT64_C(7919608) << 10;
    assert_true(learned_memory_note(memory, "m5.large", "ami-1", "AL2023", first));
    assert_true(learned_memory_note(memory, "m5.large", "ami-1", "AL2023", less));
    assert_false(learned_memory_note(memory, "m5.large", "ami-1", "AL2023", first));
    loop_run_for(loop, 40 * 24 * HOUR);
    assert_false(learned_memory_note(memory, "m5.large", "ami-1", "AL2023", less)); // renewed
    loop_run_for(loop, 40 * 24 * HOUR);
    assert_int_equal(learned_memory_get(memory, "m5.large", "ami-1", "AL2023", false), less);
    assert_int_equal(learned_memory_get(memory, "m5.large", "ami-2", "AL2023", false), 0);
    // AWI-906: a cautious estimate for another image of the family.
    assert_int_equal(learned_memory_get(memory, "m5.large", "ami-2", "AL2023", true),
                     less - less / 200);
    assert_int_equal(learned_memory_get(memory, "m5.large", "ami-2", "Bottlerocket", true), 0);
    json_t *kept = learned_memory_encode(memory);
    struct learned_memory *next = learned_memory_create(loop);
    assert_int_equal(learned_memory_decode(next, kept), 0);
    assert_int_equal(learned_memory_get(next, "m5.large", "ami-1", "AL2023", false), less);
    json_t *bad = json_pack("{s:[{s:i}, i], s:s}", "m5.large", "memory", 7, 3, "c5.large", "x");
    assert_int_equal(learned_memory_decode(next, bad), 2);
    json_decref(bad);
    json_decref(kept);
    learned_memory_destroy(next);
    loop_run_for(loop, 21 * 24 * HOUR); // 61 days after the last
    assert_int_equal(learned_memory_get(memory, "m5.large", "ami-1", "AL2023", true), 0);
    learned_memory_destroy(memory);
}

// --- prices --------------------------------------------------------------------------------------

static struct ec2_prices *prices_of(const char *region, bool upstream)
{
    return ec2_prices_create(&(struct ec2_prices_options){
        .loop = loop, .region = region, .upstream = upstream, .changed = count_change});
}

static int64_t spot(const struct ec2_prices *prices, const char *zone)
{
    int64_t price;
    return ec2_price_spot(prices, "m5.large", zone, &price) ? price : -1;
}

static int64_t on_demand(const struct ec2_prices *prices, const char *type)
{
    int64_t price;
    return ec2_price_on_demand(prices, type, &price) ? price : -1;
}

static json_t *product(const char *type, const char *usd)
{
    json_t *item = json_pack("{s:{s:{s:s}}, s:{s:{s:{s:{s:{s:{s:s}}}}}}}", "product", "attributes",
                             "instanceType", type, "terms", "OnDemand", "t", "priceDimensions", "d",
                             "pricePerUnit", "USD", usd);
    char *text = json_dumps(item, JSON_COMPACT);
    json_t *value = json_string(text);
    free(text);
    json_decref(item);
    return value;
}

static json_t *history(const char *zone, const char *price, const char *time)
{
    return json_pack("{s:[{s:s, s:s, s:s, s:s, s:s}]}", "SpotPriceHistory", "InstanceType",
                     "m5.large", "AvailabilityZone", zone, "SpotPrice", price, "Timestamp", time,
                     "ProductDescription", "Linux/UNIX");
}

static void built_in_prices_AWI_201_210_211(void **state)
{
    (void)state;
    struct ec2_prices *prices = prices_of("eu-south-7", false);
    assert_int_equal(on_demand(prices, "m5.large"), 96000000);
    assert_int_equal(spot(prices, "eu-south-7a"), 96000000);
    assert_int_equal(on_demand(prices, "x0.none"), -1);
    ec2_prices_destroy(prices);
}

static struct own_prices *own_prices(const char *text, struct error *error)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    struct own_prices *own = own_prices_create(value, error);
    json_decref(value);
    return own;
}

// The user's prices before EC2's; of several patterns the longest.
static void own_prices_AWI_916_917(void **state)
{
    (void)state;
    static const char *const wrong[] = {"[]", "{\"prices\": {}}", "{\"onDemand\": []}",
                                        "{\"onDemand\": {\"m5.large\": -1}}",
                                        "{\"multipliers\": {\"m5.*\": \"0.9\"}}"};
    struct error error = {0};
    struct own_prices *own = own_prices("{\"onDemand\": {\"m5.large\": 0.09, \"x0.none\": 1},"
                                        "\"multipliers\": {\"m5.*\": 0.5, \"*\": 0.9}}",
                                        &error);
    assert_non_null(own);
    struct ec2_prices *prices = ec2_prices_create(&(struct ec2_prices_options){
        .loop = loop, .region = "us-east-1", .changed = count_change, .own = own});
    assert_int_equal(on_demand(prices, "m5.large"), 90000000);
    assert_int_equal(on_demand(prices, "m5.xlarge"), 96000000); // half of 0.192
    assert_int_equal(on_demand(prices, "c5.large"), 76500000);  // of 0.085
    assert_int_equal(on_demand(prices, "x0.none"), 1000000000);
    assert_int_equal(on_demand(prices, "x1.none"), -1); // a factor of nothing
    ec2_prices_destroy(prices);
    own_prices_destroy(own);
    for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++) {
        error = (struct error){0};
        assert_null(own_prices(wrong[i], &error));
        assert_int_equal(error.kind, ERROR_INVALID);
    }
    assert_null(own_prices_load("/nonexistent/prices.json", &error));
}

static void products_are_laid_over_AWI_202_204(void **state)
{
    (void)state;
    struct fake_aws *fake = fake_aws_create(loop);
    struct ec2_prices *prices = prices_of("us-west-2", true);
    fake_aws_reply(fake, PRICING_GET_PRODUCTS,
                   json_pack("{s:[o, o, s]}", "PriceList", product("m5.large", "0.2"),
                             product("x0.new", "1.5"), "{broken"));
    ec2_prices_update_on_demand(prices, fake_aws_client(fake), note_end, NULL);
    assert_int_equal(ends, 0);
    loop_run_for(loop, MINUTE);
    assert_int_equal(ends, 1);
    assert_int_equal(last_error.kind, ERROR_NONE);
    assert_int_equal(changes, 1);
    assert_int_equal(fake_aws_calls(fake, PRICING_GET_PRODUCTS), 2); // shared, and bare metal
    assert_int_equal(on_demand(prices, "m5.large"), 200000000);
    assert_int_equal(on_demand(prices, "x0.new"), 1500000000);
    assert_true(on_demand(prices, "c5.large") > 0); // keeps its price
    fake_aws_reply(fake, PRICING_GET_PRODUCTS, json_pack("{s:[]}", "PriceList"));
    ec2_prices_update_on_demand(prices, fake_aws_client(fake), note_end, NULL);
    loop_run_for(loop, MINUTE);
    assert_string_equal(last_error.message, "no on-demand pricing found");
    ec2_prices_update_on_demand(prices, fake_aws_client(fake), note_end, NULL);
    ec2_prices_destroy(prices); // with calls under way
    fake_aws_destroy(fake);
    assert_int_equal(ends, 2);
}

static void no_price_list_in_isolation_AWI_205(void **state)
{
    (void)state;
    struct fake_aws *fake = fake_aws_create(loop);
    struct ec2_prices *prices = prices_of("us-gov-west-1", false);
    ec2_prices_update_on_demand(prices, fake_aws_client(fake), note_end, NULL);
    loop_run_for(loop, MINUTE);
    assert_int_equal(ends, 1);
    assert_int_equal(last_error.kind, ERROR_NONE);
    assert_int_equal(fake_aws_calls(fake, PRICING_GET_PRODUCTS), 0);
    ec2_prices_destroy(prices);
    fake_aws_destroy(fake);
}

static void spot_prices_AWI_206_211_915(void **state)
{
    (void)state;
    struct fake_aws *fake = fake_aws_create(loop);
    struct ec2_prices *prices = prices_of("us-west-2", false);
    fake_aws_reply_once(fake, EC2_DESCRIBE_SPOT_PRICE_HISTORY,
                        history("us-west-2a", "0.03", "2026-01-01T00:00:00Z"));
    ec2_prices_update_spot(prices, fake_aws_client(fake), note_end, NULL);
    loop_run_for(loop, MINUTE);
    assert_int_equal(last_error.kind, ERROR_NONE);
    assert_int_equal(spot(prices, "us-west-2a"), 30000000);
    assert_int_equal(spot(prices, "us-west-2b"), -1); // AWI-211
    fake_aws_reply_once(fake, EC2_DESCRIBE_SPOT_PRICE_HISTORY,
                        history("us-west-2a", "0.07", "2025-12-01T00:00:00Z"));
    ec2_prices_update_spot(prices, fake_aws_client(fake), note_end, NULL);
    loop_run_for(loop, MINUTE);
    assert_int_equal(spot(prices, "us-west-2a"), 30000000); // older
    const json_t *parameters = fake_aws_last(fake, EC2_DESCRIBE_SPOT_PRICE_HISTORY);
    assert_string_equal(json_string_value(json_object_get(parameters, "StartTime")),
                        "2026-01-01T00:00:00Z"); // since the last run
    fake_aws_error(fake, EC2_DESCRIBE_SPOT_PRICE_HISTORY, 403, "UnauthorizedOperation", "no");
    ec2_prices_update_spot(prices, fake_aws_client(fake), note_end, NULL);
    loop_run_for(loop, MINUTE);
    assert_true(text_starts_with(last_error.message, "retrieving spot pricing data, "));
    assert_int_equal(spot(prices, "us-west-2a"), 30000000);
    loop_run_for(loop, 7 * HOUR);
    fake_aws_reply(fake, EC2_DESCRIBE_SPOT_PRICE_HISTORY,
                   history("us-west-2b", "0.05", "2026-01-01T07:00:00Z"));
    ec2_prices_update_spot(prices, fake_aws_client(fake), note_end, NULL);
    loop_run_for(loop, MINUTE);
    assert_int_equal(spot(prices, "us-west-2a"), -1); // not mentioned for 6 h
    assert_int_equal(spot(prices, "us-west-2b"), 50000000);
    json_t *kept = kept_prices_encode(prices, false);
    struct ec2_prices *next = prices_of("us-west-2", false);
    assert_int_equal(kept_prices_decode(next, kept), 0);
    assert_int_equal(spot(next, "us-west-2b"), 50000000);
    json_decref(kept);
    ec2_prices_destroy(next);
    ec2_prices_destroy(prices);
    fake_aws_destroy(fake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(upstream_remembers_three_minutes_AWI_181, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_sweep_makes_available_AWI_751, set_up, tear_down),
        cmocka_unit_test_setup_teardown(scopes_are_exact_AWI_180, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pools_back_off_AWI_928, set_up, tear_down),
        cmocka_unit_test_setup_teardown(causes_have_their_own_reach_AWI_928, set_up, tear_down),
        cmocka_unit_test_setup_teardown(quotas_by_family_AWI_928, set_up, tear_down),
        cmocka_unit_test_setup_teardown(free_counts_AWN_134_AWI_615, set_up, tear_down),
        cmocka_unit_test_setup_teardown(groups_by_selector_AWN_150, set_up, tear_down),
        cmocka_unit_test_setup_teardown(least_memory_counts_AWI_22_25, set_up, tear_down),
        cmocka_unit_test_setup_teardown(built_in_prices_AWI_201_210_211, set_up, tear_down),
        cmocka_unit_test_setup_teardown(own_prices_AWI_916_917, set_up, tear_down),
        cmocka_unit_test_setup_teardown(products_are_laid_over_AWI_202_204, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_price_list_in_isolation_AWI_205, set_up, tear_down),
        cmocka_unit_test_setup_teardown(spot_prices_AWI_206_211_915, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
