// What a fleet's answer says about offerings, and the result without an instance (AWI-310 to 345).
#include "cloud/aws/instances/fleet_answer.h"

#include <string.h>

#include "base/log.h"
#include "base/loop_virtual.h"
#include "base/metrics.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "cloud/aws/instances/launch_filters.h"
#include "cloud/aws/instances/launch_support.h"
#include "support/cmocka_all.h"

static const char class_status[] =
    "{\"subnets\":[{\"id\":\"subnet-a\",\"zone\":\"us-west-2a\",\"zoneID\":\"usw2-az1\"},"
    "{\"id\":\"subnet-b\",\"zone\":\"us-west-2b\",\"zoneID\":\"usw2-az2\"}]}";
static const struct made_type made[] = {
    {"m5.large", NULL, NULL, {"spot us-west-2a 0.04", "reserved us-west-2a 0.0 cr-1 default 3"}},
    {"m5.xlarge", NULL, NULL, {"spot us-west-2a 0.07", "spot us-west-2b 0.08"}},
};

struct fixture {
    struct loop *loop;
    struct arena *arena;
    struct metrics *metrics;
    struct fleet_learning learning;
    struct fleet_launch launch;
    struct launch_candidates candidates;
    const struct instance_type_catalog *catalog;
    struct fleet_error errors[9];
    struct fleet_answer answer;
    struct text logged;
};

static int64_t now_of(void *loop)
{
    return loop_monotonic_ns(loop);
}

static void keep_line(void *context, const char *line)
{
    struct fixture *fixture = context;
    text_format(&fixture->logged, "%s\n", line);
}

static void open_launch(struct fixture *fixture)
{
    fixture->catalog = make_catalog(made, ARRAY_LENGTH(made));
    const struct instance_type **items =
        arena_allocate_array(fixture->arena, ARRAY_LENGTH(made), sizeof *items);
    for (uint32_t i = 0; i < ARRAY_LENGTH(made); i++)
        items[i] = &fixture->catalog->spec.instance_types.items[i];
    fixture->candidates = (struct launch_candidates){items, ARRAY_LENGTH(made)};
    fixture->launch =
        (struct fleet_launch){.node_class = (const struct ec2_node_class *)make_object(
                                  "karpenter.k8s.aws/v1", "EC2NodeClass", "{}", class_status),
                              .claim = make_claim("", NULL),
                              .capacity_type = "spot",
                              .candidates = &fixture->candidates};
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct log_options log = {.level = LOG_DEBUG, .sink = keep_line, .sink_context = fixture};
    assert_true(log_configure(&log, NULL));
    fixture->loop = loop_create_virtual(INT64_C(1767225600) * SECOND);
    fixture->arena = arena_create(4096);
    fixture->metrics = metrics_create(now_of, fixture->loop);
    fixture->learning = (struct fleet_learning){
        .unavailable = unavailable_offerings_create(
            &(struct unavailable_options){.loop = fixture->loop, .upstream = true}),
        .reservations = reservation_counts_create(fixture->loop),
        .addresses = subnet_addresses_create(fixture->loop, MINUTE),
        .failures = metrics_register(
            fixture->metrics,
            &(struct metric_options){.name = "failures",
                                     .help = "Errors.",
                                     .type = METRIC_COUNTER,
                                     .labels = {"zone", "zone_id", "capacity_type", "reason"}})};
    subnet_addresses_fetched(fixture->learning.addresses, "subnet-a", 100);
    subnet_addresses_fetched(fixture->learning.addresses, "subnet-b", 50);
    reservation_counts_fetched(fixture->learning.reservations, "cr-1", 3,
                               loop_now_ns(fixture->loop));
    open_launch(fixture);
    fixture->answer = (struct fleet_answer){.fleet_id = "fleet-1", .errors = fixture->errors};
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    struct log_options quiet = {.level = LOG_NONE};
    assert_true(log_configure(&quiet, NULL));
    object_release((const struct object *)fixture->launch.node_class);
    object_release((const struct object *)fixture->launch.claim);
    object_release((const struct object *)fixture->catalog);
    unavailable_offerings_destroy(fixture->learning.unavailable);
    reservation_counts_destroy(fixture->learning.reservations);
    subnet_addresses_destroy(fixture->learning.addresses);
    metrics_destroy(fixture->metrics);
    arena_destroy(fixture->arena);
    loop_destroy(fixture->loop);
    text_free(&fixture->logged);
    free(fixture);
    return 0;
}

static void add_error(struct fixture *fixture, const char *code, const char *message,
                      const char *type, const char *zone)
{
    const char *subnet = text_equal(zone, "us-west-2b") ? "subnet-b" : "subnet-a";
    fixture->errors[fixture->answer.errors_count++] = (struct fleet_error){
        code, message, {type, zone, zone[0] != '\0' ? subnet : "", zone[0] != '\0' ? "ami-1" : ""}};
}

static bool learn(struct fixture *fixture)
{
    return fleet_errors_learn(&fixture->learning, &fixture->launch, &fixture->answer);
}

static bool is_out(struct fixture *fixture, const char *type, const char *zone, const char *group)
{
    struct unavailable_pool pool = {type, zone, fixture->launch.capacity_type, group, NULL};
    return unavailable_has_pool(fixture->learning.unavailable, &pool);
}

static enum error_kind failure(struct fixture *fixture, const char **message, const char **reason)
{
    static struct error error;
    error = (struct error){0};
    fleet_failure(&fixture->answer, &error, reason);
    *message = error.message;
    return error.kind;
}

// Each code marks the pool of its override alone, and is a shortage if there are no others.
static void codes_of_the_table_AWI_332_344(void **state)
{
    struct fixture *fixture = *state;
    static const char *const codes[] = {"InsufficientInstanceCapacity",
                                        "UnfulfillableCapacity",
                                        "Unsupported",
                                        "MaxSpotInstanceCountExceeded",
                                        "VcpuLimitExceeded",
                                        "MaxFleetCountExceeded",
                                        "ReservationCapacityExceeded",
                                        "InsufficientFreeAddressesInSubnet"};
    for (size_t i = 0; i < ARRAY_LENGTH(codes); i++) {
        const char *message, *reason;
        fixture->answer.errors_count = 0;
        add_error(fixture, codes[i], "none left", "m5.large", "us-west-2a");
        assert_false(is_out(fixture, "m5.large", "us-west-2a", NULL));
        assert_false(learn(fixture));
        assert_true(is_out(fixture, "m5.large", "us-west-2a", NULL));
        assert_false(is_out(fixture, "m5.xlarge", "us-west-2a", NULL));
        assert_int_equal(failure(fixture, &message, &reason), ERROR_INSUFFICIENT_CAPACITY);
        assert_null(reason);
        loop_run_for(fixture->loop, 3 * MINUTE + 10 * SECOND);
    }
    // AWI-183: marking is logged.
    assert_non_null(strstr(fixture->logged.data, "removing offering from offerings"));
    assert_non_null(strstr(fixture->logged.data, "\"reason\":\"VcpuLimitExceeded\""));
    assert_non_null(strstr(fixture->logged.data, "\"fleet-id\":\"fleet-1\""));
    assert_non_null(strstr(fixture->logged.data, "\"ttl\":"));
}

static void addresses_are_gone_for_every_capacity_type_AWI_331(void **state)
{
    struct fixture *fixture = *state;
    static const char *const capacity_types[] = {"spot", "on-demand", "reserved"};
    for (size_t i = 0; i < ARRAY_LENGTH(capacity_types); i++) {
        struct subnet_choice choices[2];
        fixture->launch.capacity_type = capacity_types[i];
        fixture->answer.errors_count = 0;
        add_error(fixture, "InsufficientFreeAddressesInSubnet", "full", "m5.large", "us-west-2a");
        assert_false(unavailable_has_subnet(fixture->learning.unavailable, "subnet-a"));
        learn(fixture);
        assert_true(unavailable_has_subnet(fixture->learning.unavailable, "subnet-a"));
        assert_false(unavailable_has_subnet(fixture->learning.unavailable, "subnet-b"));
        subnet_addresses_choose(fixture->learning.addresses, fixture->launch.node_class,
                                fixture->candidates.items, 1, "spot", choices);
        for (int k = 0; k < 2; k++)
            if (text_equal(choices[k].subnet->id, "subnet-a"))
                assert_int_equal(choices[k].cached, 0); // AWN-107
        loop_run_for(fixture->loop, 3 * MINUTE + 10 * SECOND);
    }
}

static void spread_groups_are_full_for_all_types_AWI_333(void **state)
{
    struct fixture *fixture = *state;
    static const struct placement_group group = {"pg-1", "group", "spread", NULL, 0};
    fixture->launch.group = &group;
    add_error(fixture, "InsufficientInstanceCapacity",
              "You have reached the limit of instances in this spread placement group", "m5.large",
              "us-west-2a");
    learn(fixture);
    assert_true(is_out(fixture, "m5.large", "us-west-2a", "pg-1"));
    assert_true(is_out(fixture, "m5.xlarge", "us-west-2a", "pg-1"));
    assert_false(is_out(fixture, "m5.xlarge", "us-west-2b", "pg-1"));
    assert_false(is_out(fixture, "m5.large", "us-west-2a", NULL)); // in that group alone
}

static void the_role_for_spot_is_missing_AWI_334(void **state)
{
    struct fixture *fixture = *state;
    const char *message, *reason;
    add_error(fixture, "AuthFailure.ServiceLinkedRoleCreationNotPermitted", "no role", "m5.large",
              "us-west-2a");
    assert_true(learn(fixture));
    assert_true(unavailable_has_capacity_type(fixture->learning.unavailable, "spot"));
    assert_false(is_out(fixture, "m5.large", "us-west-2a", NULL));
    assert_int_equal(failure(fixture, &message, &reason), ERROR_INSUFFICIENT_CAPACITY);
}

static void reservations_are_used_up_AWI_335(void **state)
{
    struct fixture *fixture = *state;
    fixture->launch.capacity_type = "reserved";
    add_error(fixture, "RequestLimitExceeded", "slow down", "m5.large", "us-west-2a");
    add_error(fixture, "InsufficientInstanceCapacity",
              "limit of instances in this spread placement group", "m5.large", "us-west-2a");
    learn(fixture);
    assert_int_equal(reservation_counts_free(fixture->learning.reservations, "cr-1"), 3);
    fixture->answer.errors_count = 0;
    add_error(fixture, "VcpuLimitExceeded", "too many", "m5.large", "us-west-2a");
    learn(fixture);
    assert_int_equal(reservation_counts_free(fixture->learning.reservations, "cr-1"), 0);
    assert_false(is_out(fixture, "m5.large", "us-west-2a", NULL)); // the count is the memory
    assert_non_null(strstr(fixture->logged.data, "marking capacity reservation unavailable"));
    assert_non_null(strstr(fixture->logged.data, "\"capacity-reservation-id\":\"cr-1\""));
    // AWI-188: until the next poll brings a fresh number.
    reservation_counts_fetched(fixture->learning.reservations, "cr-1", 2,
                               loop_now_ns(fixture->loop) + MINUTE);
    assert_int_equal(reservation_counts_free(fixture->learning.reservations, "cr-1"), 2);
}

static void other_codes_are_not_remembered_AWI_336(void **state)
{
    struct fixture *fixture = *state;
    const char *message, *reason;
    add_error(fixture, "SomethingNew", "what is this", "m5.large", "us-west-2a");
    add_error(fixture, "InvalidAMIID.NotFound", "no image", "m5.xlarge", "us-west-2a");
    assert_false(learn(fixture));
    assert_int_equal(unavailable_sequence(fixture->learning.unavailable, "m5.large"), 0);
    assert_int_equal(failure(fixture, &message, &reason), ERROR_INTERNAL);
}

static void each_error_is_counted_AWI_330_703(void **state)
{
    struct fixture *fixture = *state;
    add_error(fixture, "InsufficientInstanceCapacity", "none", "m5.large", "us-west-2a");
    add_error(fixture, "InsufficientInstanceCapacity", "none", "m5.xlarge", "us-west-2a");
    add_error(fixture, "UnauthorizedOperation", "not you", "m5.xlarge", "us-west-2b");
    add_error(fixture, "SomethingNew", "?", "m5.xlarge", "us-west-2z"); // no subnet there
    learn(fixture);
    struct metric *failures = fixture->learning.failures;
    assert_int_equal((int)metric_read(failures, "us-west-2a", "usw2-az1", "spot", "LaunchFailed"),
                     2);
    assert_int_equal((int)metric_read(failures, "us-west-2b", "usw2-az2", "spot", "Unauthorized"),
                     1);
    assert_int_equal((int)metric_read(failures, "us-west-2z", "", "spot", "LaunchFailed"), 1);
}

static void texts_are_sorted_and_distinct_AWI_340(void **state)
{
    struct fixture *fixture = *state;
    const char *message, *reason;
    add_error(fixture, "Unsupported", "not here", "m5.large", "us-west-2a");
    add_error(fixture, "InsufficientInstanceCapacity", "none", "m5.large", "us-west-2b");
    add_error(fixture, "InsufficientInstanceCapacity", "none", "m5.xlarge", "us-west-2b");
    assert_int_equal(failure(fixture, &message, &reason), ERROR_INSUFFICIENT_CAPACITY);
    assert_string_equal(message, "with fleet error(s), InsufficientInstanceCapacity: none; "
                                 "Unsupported: not here");
    // One authorization failure among many shortages decides.
    add_error(fixture, "UnauthorizedOperation", "not you", "m5.xlarge", "us-west-2a");
    assert_int_equal(failure(fixture, &message, &reason), ERROR_INTERNAL);
    assert_string_equal(reason, "Unauthorized");
}

static void errors_without_an_override_AWI_925(void **state)
{
    struct fixture *fixture = *state;
    const char *message, *reason;
    fixture->answer.errors_count = 0; // AWI-365: fewer instances than asked for, and no error
    assert_false(learn(fixture));
    assert_int_equal(failure(fixture, &message, &reason), ERROR_INSUFFICIENT_CAPACITY);
    assert_non_null(strstr(message, "too few instances returned"));
    json_t *reply = json_pack("{s:s, s:[{s:s, s:s}]}", "FleetId", "fleet-1", "Errors", "ErrorCode",
                              "InsufficientInstanceCapacity", "ErrorMessage", "none");
    json_t *request = json_object();
    fleet_answer_read(fixture->arena, request, reply, &fixture->answer);
    assert_int_equal(fixture->answer.errors_count, 1);
    assert_false(learn(fixture));
    assert_int_equal(unavailable_sequence(fixture->learning.unavailable, "m5.large"), 0);
    assert_int_equal((int)metric_read(fixture->learning.failures, "", "", "spot", "LaunchFailed"),
                     1);
    assert_int_equal(failure(fixture, &message, &reason), ERROR_INSUFFICIENT_CAPACITY);
    json_decref(request);
    json_decref(reply);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(codes_of_the_table_AWI_332_344, setup, teardown),
        cmocka_unit_test_setup_teardown(addresses_are_gone_for_every_capacity_type_AWI_331, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(spread_groups_are_full_for_all_types_AWI_333, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(the_role_for_spot_is_missing_AWI_334, setup, teardown),
        cmocka_unit_test_setup_teardown(reservations_are_used_up_AWI_335, setup, teardown),
        cmocka_unit_test_setup_teardown(other_codes_are_not_remembered_AWI_336, setup, teardown),
        cmocka_unit_test_setup_teardown(each_error_is_counted_AWI_330_703, setup, teardown),
        cmocka_unit_test_setup_teardown(texts_are_sorted_and_distinct_AWI_340, setup, teardown),
        cmocka_unit_test_setup_teardown(errors_without_an_override_AWI_925, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
