// Prices: units, what is skipped, what stays, what is logged (AWI-200 to 213).
#include "support/cmocka_all.h"

#include <string.h>

#include "base/log.h"
#include "base/loop_virtual.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "cloud/aws/fake_aws.h"
#include "cloud/aws/types/ec2_prices.h"

struct fixture {
    struct loop *loop;
    struct fake_aws *aws;
    struct ec2_prices *prices;
    struct text logged;
    uint32_t ends;
    struct error error;
};

static void keep_line(void *context, const char *line)
{
    text_format(&((struct fixture *)context)->logged, "%s\n", line);
}

static void note_end(void *context, const struct error *error)
{
    struct fixture *fixture = context;
    fixture->ends++;
    fixture->error = *error;
}

static void open_prices(struct fixture *fixture, const char *region, bool upstream)
{
    struct log_options log = {.level = LOG_DEBUG, .sink = keep_line, .sink_context = fixture};
    assert_true(log_configure(&log, NULL));
    *fixture = (struct fixture){.loop = loop_create_virtual(INT64_C(1767225600) * SECOND)};
    fixture->aws = fake_aws_create(fixture->loop);
    fixture->prices = ec2_prices_create(&(struct ec2_prices_options){
        .loop = fixture->loop, .region = region, .upstream = upstream});
    text_add(&fixture->logged, "");
}

static void close_prices(struct fixture *fixture)
{
    struct log_options quiet = {.level = LOG_NONE};
    assert_true(log_configure(&quiet, NULL));
    ec2_prices_destroy(fixture->prices);
    fake_aws_destroy(fixture->aws);
    loop_destroy(fixture->loop);
    text_free(&fixture->logged);
}

static int64_t on_demand(struct fixture *fixture, const char *type)
{
    int64_t price;
    return ec2_price_on_demand(fixture->prices, type, &price) ? price : -1;
}

static int64_t spot(struct fixture *fixture, const char *zone)
{
    int64_t price;
    return ec2_price_spot(fixture->prices, "m5.large", zone, &price) ? price : -1;
}

static json_t *product(const char *type, const char *unit, const char *price)
{
    json_t *item = json_pack("{s:{s:{s:s}}, s:{s:{s:{s:{s:{s:{s:s}}}}}}}", "product", "attributes",
                             "instanceType", type, "terms", "OnDemand", "t", "priceDimensions", "d",
                             "pricePerUnit", unit, price);
    char *text = json_dumps(item, JSON_COMPACT);
    json_t *value = json_string(text);
    free(text);
    json_decref(item);
    return value;
}

static void update(struct fixture *fixture)
{
    ec2_prices_update_on_demand(fixture->prices, fake_aws_client(fixture->aws), note_end, fixture);
    loop_run_for(fixture->loop, MINUTE);
}

static void update_spot(struct fixture *fixture)
{
    ec2_prices_update_spot(fixture->prices, fake_aws_client(fixture->aws), note_end, fixture);
    loop_run_for(fixture->loop, MINUTE);
}

static void yuan_in_china_AWI_200(void **state)
{
    (void)state;
    static const char *const regions[] = {"us-west-2", "cn-north-1"};
    for (int i = 0; i < 2; i++) {
        struct fixture fixture;
        open_prices(&fixture, regions[i], true);
        int64_t before = on_demand(&fixture, "m5.large");
        fake_aws_reply(fixture.aws, PRICING_GET_PRODUCTS,
                       json_pack("{s:[o, o]}", "PriceList", product("m5.large", "CNY", "7.5"),
                                 product("x0.large", "USD", "2")));
        update(&fixture);
        assert_int_equal(on_demand(&fixture, "m5.large"), i == 0 ? before : 7500000000);
        assert_int_equal(on_demand(&fixture, "x0.large"), i == 0 ? 2000000000 : -1);
        close_prices(&fixture);
    }
}

static void price_list_items_AWI_203_210_213(void **state)
{
    (void)state;
    struct fixture fixture;
    open_prices(&fixture, "us-west-2", true);
    fake_aws_reply(fixture.aws, PRICING_GET_PRODUCTS,
                   json_pack("{s:[o, o, o, o, s]}", "PriceList", product("", "USD", "1"),
                             product("x1.free", "USD", "0.0000000000"),
                             product("x1.odd", "USD", "cheap"), product("x1.large", "USD", "0.25"),
                             "{broken"));
    update(&fixture);
    assert_int_equal(fixture.error.kind, ERROR_NONE);
    assert_int_equal(on_demand(&fixture, "x1.large"), 250000000);
    assert_int_equal(on_demand(&fixture, "x1.free"), -1);
    assert_int_equal(on_demand(&fixture, "x1.odd"), -1);
    assert_int_equal(on_demand(&fixture, ""), -1);
    assert_non_null(strstr(fixture.logged.data, "failed unmarshaling pricing data"));
    assert_non_null(strstr(fixture.logged.data, "updated on-demand pricing"));
    assert_non_null(strstr(fixture.logged.data, "\"instance-type-count\":"));
    // AWI-213: the same answer again is no news.
    fixture.logged.data[fixture.logged.length = 0] = '\0';
    update(&fixture);
    assert_null(strstr(fixture.logged.data, "updated on-demand pricing"));
    close_prices(&fixture);
}

static json_t *history(const char *zone, const char *price)
{
    return json_pack("{s:[{s:s, s:s, s:s, s:s, s:s}]}", "SpotPriceHistory", "InstanceType",
                     "m5.large", "AvailabilityZone", zone, "SpotPrice", price, "Timestamp",
                     "2026-01-01T00:00:00Z", "ProductDescription", "Linux/UNIX");
}

static void spot_prices_that_stay_AWI_207_213(void **state)
{
    (void)state;
    struct fixture fixture;
    open_prices(&fixture, "us-west-2", true);
    fake_aws_reply_once(fixture.aws, EC2_DESCRIBE_SPOT_PRICE_HISTORY,
                        history("us-west-2a", "0.03"));
    update_spot(&fixture);
    assert_int_equal(spot(&fixture, "us-west-2a"), 30000000);
    assert_non_null(
        strstr(fixture.logged.data, "updated spot pricing with instance types and offerings"));
    assert_non_null(strstr(fixture.logged.data, "\"offering-count\":1"));
    fake_aws_reply_once(fixture.aws, EC2_DESCRIBE_SPOT_PRICE_HISTORY, json_object());
    update_spot(&fixture);
    assert_string_equal(fixture.error.message, "no spot pricing found");
    assert_int_equal(spot(&fixture, "us-west-2a"), 30000000);
    // Upstream keeps pairs that are not told any more (AWI-915 does not).
    fake_aws_reply_once(fixture.aws, EC2_DESCRIBE_SPOT_PRICE_HISTORY,
                        history("us-west-2b", "0.05"));
    loop_run_for(fixture.loop, 7 * HOUR);
    update_spot(&fixture);
    assert_int_equal(fixture.error.kind, ERROR_NONE);
    assert_int_equal(spot(&fixture, "us-west-2a"), 30000000);
    assert_int_equal(spot(&fixture, "us-west-2b"), 50000000);
    close_prices(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(yuan_in_china_AWI_200),
        cmocka_unit_test(price_list_items_AWI_203_210_213),
        cmocka_unit_test(spot_prices_that_stay_AWI_207_213),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
