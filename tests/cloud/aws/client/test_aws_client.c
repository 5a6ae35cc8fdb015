// Calls: paging, retries, throttling, tokens, errors (AWN-524, AWN-600, AWI-936).
#include "support/cmocka_all.h"

#include "base/loop_virtual.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "cloud/aws/client/aws_fault.h"
#include "cloud/aws/client/aws_retry.h"
#include "cloud/aws/fake_aws.h"

struct outcome {
    int done, pages;
    int pages_max; // 0: all
    enum aws_fault fault;
    struct error error;
    char code[64];
    json_t *reply;
    struct aws_call *cancels;
};

struct fixture {
    struct loop *loop;
    struct fake_aws *fake;
    struct outcome outcome;
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    fixture->loop = loop_create_virtual(INT64_C(1767225600) * SECOND);
    fixture->fake = fake_aws_create(fixture->loop);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    fake_aws_destroy(fixture->fake);
    loop_destroy(fixture->loop);
    json_decref(fixture->outcome.reply);
    free(fixture);
    return 0;
}

static void note(void *context, const struct aws_result *result)
{
    struct outcome *outcome = context;
    outcome->done++;
    outcome->fault = result->fault;
    outcome->error = result->error;
    snprintf(outcome->code, sizeof outcome->code, "%s", result->code);
    json_decref(outcome->reply);
    outcome->reply = json_incref((json_t *)result->reply);
}

static bool note_page(void *context, const json_t *reply)
{
    struct outcome *outcome = context;
    assert_true(json_is_object(reply));
    outcome->pages++;
    if (outcome->cancels != NULL)
        aws_call_cancel(outcome->cancels);
    return outcome->pages_max == 0 || outcome->pages < outcome->pages_max;
}

static struct aws_call *start(struct fixture *fixture, struct aws_request request)
{
    request.done = note;
    request.context = &fixture->outcome;
    return aws_client_start(fake_aws_client(fixture->fake), &request);
}

static void call(struct fixture *fixture, struct aws_request request)
{
    int before = fixture->outcome.done;
    start(fixture, request);
    assert_int_equal(fixture->outcome.done, before); // never before start has returned
    loop_run(fixture->loop);
    assert_int_equal(fixture->outcome.done, before + 1);
}

static void a_call_is_signed_and_answered(void **state)
{
    struct fixture *fixture = *state;
    fake_aws_reply(fixture->fake, EC2_DESCRIBE_SUBNETS,
                   json_pack("{s:[{s:s}]}", "Subnets", "SubnetId", "subnet-1"));
    call(fixture, (struct aws_request){.action = EC2_DESCRIBE_SUBNETS,
                                       .parameters = json_pack("{s:i}", "MaxResults", 500)});
    assert_int_equal(fixture->outcome.fault, AWS_FAULT_NONE);
    assert_int_equal(json_array_size(json_object_get(fixture->outcome.reply, "Subnets")), 1);
    assert_string_equal(fake_aws_url(fixture->fake), "https://ec2.us-west-2.amazonaws.com/");
    assert_string_equal(fake_aws_header(fixture->fake, "X-Amz-Date"), "20260101T000000Z");
    assert_true(text_starts_with(fake_aws_header(fixture->fake, "Authorization"),
                                 "AWS4-HMAC-SHA256 Credential=AKIAFAKE/20260101/us-west-2/ec2/"));
    assert_non_null(strstr(fake_aws_header(fixture->fake, "User-Agent"), "karpenter.sh-"));
    const json_t *sent = fake_aws_last(fixture->fake, EC2_DESCRIBE_SUBNETS);
    assert_int_equal(json_integer_value(json_object_get(sent, "MaxResults")), 500);
}

static void errors_are_classified(void **state)
{
    struct fixture *fixture = *state;
    fake_aws_error(fixture->fake, EC2_CREATE_FLEET, 403, "UnauthorizedOperation", "You are not.");
    call(fixture, (struct aws_request){.action = EC2_CREATE_FLEET});
    assert_int_equal(fixture->outcome.fault, AWS_FAULT_UNAUTHORIZED);
    assert_int_equal(fixture->outcome.error.kind, ERROR_FORBIDDEN);
    assert_string_equal(fixture->outcome.error.message,
                        "ec2:CreateFleet: UnauthorizedOperation: You are not.");
    assert_int_equal(fake_aws_calls(fixture->fake, EC2_CREATE_FLEET), 1);
    assert_int_equal(aws_fault_of("InvalidInstanceID.NotFound", 400), AWS_FAULT_NOT_FOUND);
    assert_int_equal(aws_fault_of("EntityAlreadyExists", 409), AWS_FAULT_ALREADY_EXISTS);
    assert_int_equal(aws_fault_of("RequestLimitExceeded", 503), AWS_FAULT_THROTTLED);
    assert_int_equal(aws_fault_of("DryRunOperation", 412), AWS_FAULT_DRY_RUN_PASSED);
    assert_int_equal(aws_fault_of("", 502), AWS_FAULT_SERVER);
    assert_int_equal(aws_fault_of("InvalidParameterValue", 400), AWS_FAULT_OTHER);
}

#define ENCODED(text) "You are not authorized. Encoded authorization failure message: " text
static const char decoded_message[] =
    "{\"allowed\":false,\"explicitDeny\":false,\"context\":{\"principal\":{\"arn\":"
    "\"arn:aws:sts::1:assumed-role/adze/1\"},\"action\":\"ec2:RunInstances\",\"resource\":"
    "\"arn:aws:ec2:us-west-2:1:subnet/subnet-1\"}}";

static json_t *refused_fleet(const char *instance)
{
    json_t *instances = json_array();
    if (instance != NULL)
        json_array_append_new(instances, json_pack("{s:[s]}", "InstanceIds", instance));
    return json_pack("{s:s, s:o, s:[{s:s, s:s}, {s:s, s:s}, {s:s, s:s}]}", "FleetId", "fleet-1",
                     "Instances", instances, "Errors", "ErrorCode", "UnauthorizedOperation",
                     "ErrorMessage", ENCODED("abc"), "ErrorCode", "InsufficientInstanceCapacity",
                     "ErrorMessage", "none left", "ErrorCode", "UnauthorizedOperation",
                     "ErrorMessage", ENCODED("def"));
}

static const char *fleet_error(const struct fixture *fixture, size_t index)
{
    const json_t *errors = json_object_get(fixture->outcome.reply, "Errors");
    return json_string_value(json_object_get(json_array_get(errors, index), "ErrorMessage"));
}

// Errors inside a fleet's answer: as those of calls, once in ten minutes.
static void denials_in_fleets_are_decoded_AWN_437_AWI_340(void **state)
{
    struct fixture *fixture = *state;
    static const char plain[] =
        "You are not authorized. User: arn:aws:sts::1:assumed-role/adze/1 is not authorized to "
        "perform: ec2:RunInstances on resource: arn:aws:ec2:us-west-2:1:subnet/subnet-1 because no "
        "identity-based policy allows the ec2:RunInstances action";
    fake_aws_decode_denials(fixture->fake);
    fake_aws_handle(fixture->fake, EC2_CREATE_FLEET, NULL, NULL);
    fake_aws_reply(fixture->fake, EC2_CREATE_FLEET, refused_fleet(NULL));
    fake_aws_reply(fixture->fake, STS_DECODE_AUTHORIZATION_MESSAGE,
                   json_pack("{s:s}", "DecodedMessage", decoded_message));
    for (int i = 0; i < 2; i++) {
        call(fixture, (struct aws_request){.action = EC2_CREATE_FLEET});
        assert_int_equal(fixture->outcome.fault, AWS_FAULT_NONE);
        assert_string_equal(fleet_error(fixture, 0), plain);
        assert_string_equal(fleet_error(fixture, 1), "none left");
        assert_string_equal(fleet_error(fixture, 2), plain);
    }
    assert_int_equal(fake_aws_calls(fixture->fake, STS_DECODE_AUTHORIZATION_MESSAGE), 1);
    const json_t *sent = fake_aws_last(fixture->fake, STS_DECODE_AUTHORIZATION_MESSAGE);
    assert_string_equal(json_string_value(json_object_get(sent, "EncodedMessage")), "abc");
}

static void denials_in_fleets_that_stay_encoded(void **state)
{
    struct fixture *fixture = *state;
    fake_aws_decode_denials(fixture->fake);
    fake_aws_reply(fixture->fake, EC2_CREATE_FLEET, refused_fleet("i-1"));
    call(fixture, (struct aws_request){.action = EC2_CREATE_FLEET});
    assert_string_equal(fleet_error(fixture, 0), ENCODED("abc")); // the instance does not wait
    fake_aws_reply(fixture->fake, EC2_CREATE_FLEET, refused_fleet(NULL));
    fake_aws_error(fixture->fake, STS_DECODE_AUTHORIZATION_MESSAGE, 403, "AccessDenied", "no");
    call(fixture, (struct aws_request){.action = EC2_CREATE_FLEET});
    assert_string_equal(fleet_error(fixture, 0),
                        "You are not authorized. AWS gives the reason encoded; grant "
                        "sts:DecodeAuthorizationMessage to read it here");
}

// COMPATIBILITY=upstream.
static void denials_in_fleets_are_left_alone_by_others(void **state)
{
    struct fixture *fixture = *state;
    fake_aws_reply(fixture->fake, EC2_CREATE_FLEET, refused_fleet(NULL));
    call(fixture, (struct aws_request){.action = EC2_CREATE_FLEET});
    assert_string_equal(fleet_error(fixture, 0), ENCODED("abc"));
    assert_int_equal(fake_aws_calls(fixture->fake, STS_DECODE_AUTHORIZATION_MESSAGE), 0);
}

static void transient_errors_are_retried(void **state) // AWN-524
{
    struct fixture *fixture = *state;
    fake_aws_error_once(fixture->fake, EC2_CREATE_FLEET, 503, "Unavailable", "later");
    fake_aws_lose_once(fixture->fake, EC2_CREATE_FLEET);
    fake_aws_reply(fixture->fake, EC2_CREATE_FLEET, json_pack("{s:s}", "FleetId", "fleet-1"));
    call(fixture, (struct aws_request){.action = EC2_CREATE_FLEET});
    assert_int_equal(fixture->outcome.fault, AWS_FAULT_NONE);
    assert_int_equal(fake_aws_calls(fixture->fake, EC2_CREATE_FLEET), 3);
    const char *first = NULL;
    for (uint32_t i = 0; i < 3; i++) { // the same token each time
        const json_t *sent = fake_aws_parameters(fixture->fake, EC2_CREATE_FLEET, i);
        const char *token = json_string_value(json_object_get(sent, "ClientToken"));
        assert_int_equal(strlen(token), 36);
        if (first != NULL)
            assert_string_equal(token, first);
        first = token;
    }
}

static void attempts_are_limited(void **state)
{
    struct fixture *fixture = *state;
    fake_aws_error(fixture->fake, EC2_DESCRIBE_IMAGES, 500, "InternalError", "no");
    call(fixture, (struct aws_request){.action = EC2_DESCRIBE_IMAGES});
    assert_int_equal(fixture->outcome.fault, AWS_FAULT_SERVER);
    assert_int_equal(fake_aws_calls(fixture->fake, EC2_DESCRIBE_IMAGES), 3);
    call(fixture, (struct aws_request){.action = EC2_DESCRIBE_IMAGES, .once = true});
    assert_int_equal(fake_aws_calls(fixture->fake, EC2_DESCRIBE_IMAGES), 4);
    assert_int_equal(aws_client_sent(fake_aws_client(fixture->fake), EC2_DESCRIBE_IMAGES), 4);
}

static void the_retry_quota_is_shared(void **state)
{
    struct fixture *fixture = *state;
    fake_aws_error(fixture->fake, EC2_DESCRIBE_IMAGES, 500, "InternalError", "no");
    for (int i = 0; i < 60; i++)
        call(fixture, (struct aws_request){.action = EC2_DESCRIBE_IMAGES});
    assert_int_equal(fake_aws_calls(fixture->fake, EC2_DESCRIBE_IMAGES), 60 + 100);
}

static void script_pages(struct fixture *fixture)
{
    for (int i = 1; i <= 3; i++) {
        json_t *page = json_pack("{s:[{s:s}]}", "Images", "ImageId", "ami");
        if (i < 3)
            json_object_set_new(page, "NextToken", json_sprintf("page-%d", i + 1));
        fake_aws_reply_once(fixture->fake, EC2_DESCRIBE_IMAGES, page);
    }
}

static void pages_are_joined(void **state)
{
    struct fixture *fixture = *state;
    script_pages(fixture);
    call(fixture, (struct aws_request){.action = EC2_DESCRIBE_IMAGES, .all_pages = true});
    assert_int_equal(json_array_size(json_object_get(fixture->outcome.reply, "Images")), 3);
    assert_null(json_object_get(fixture->outcome.reply, "NextToken"));
    const json_t *last = fake_aws_last(fixture->fake, EC2_DESCRIBE_IMAGES);
    assert_string_equal(json_string_value(json_object_get(last, "NextToken")), "page-3");
    script_pages(fixture);
    call(fixture, (struct aws_request){.action = EC2_DESCRIBE_IMAGES});
    assert_int_equal(json_array_size(json_object_get(fixture->outcome.reply, "Images")), 1);
}

static void pages_are_shown_one_by_one(void **state)
{
    struct fixture *fixture = *state;
    struct aws_request request = {
        .action = EC2_DESCRIBE_IMAGES, .all_pages = true, .page = note_page};
    script_pages(fixture);
    fixture->outcome.pages_max = 2;
    call(fixture, request);
    assert_int_equal(fixture->outcome.pages, 2);
    assert_int_equal(fixture->outcome.fault, AWS_FAULT_NONE);
    fixture->outcome.cancels = start(fixture, request); // the third page is next
    loop_run(fixture->loop);
    assert_int_equal(fixture->outcome.done, 1);
}

static void endless_pages_are_an_error(void **state)
{
    struct fixture *fixture = *state;
    fake_aws_reply(fixture->fake, EC2_DESCRIBE_IMAGES, json_pack("{s:s}", "NextToken", "same"));
    call(fixture, (struct aws_request){.action = EC2_DESCRIBE_IMAGES, .all_pages = true});
    assert_int_equal(fixture->outcome.error.kind, ERROR_INTERNAL);
    fake_aws_reply(
        fixture->fake, IAM_LIST_INSTANCE_PROFILES,
        json_pack("{s:s, s:b, s:[]}", "Marker", "m", "IsTruncated", 0, "InstanceProfiles"));
    call(fixture, (struct aws_request){.action = IAM_LIST_INSTANCE_PROFILES, .all_pages = true});
    assert_int_equal(fixture->outcome.fault, AWS_FAULT_NONE);
}

static void a_token_that_comes_again_is_an_error(void **state)
{
    struct fixture *fixture = *state;
    static const char *const tokens[] = {"a", "b", "c", "a"};
    for (int i = 0; i < 4; i++)
        fake_aws_reply_once(fixture->fake, EC2_DESCRIBE_IMAGES,
                            json_pack("{s:s}", "NextToken", tokens[i]));
    call(fixture, (struct aws_request){.action = EC2_DESCRIBE_IMAGES, .all_pages = true});
    assert_int_equal(fixture->outcome.error.kind, ERROR_INTERNAL);
    assert_string_equal(fixture->outcome.error.message,
                        "ec2:DescribeImages: the pages of the answer do not end");
    assert_int_equal(fake_aws_calls(fixture->fake, EC2_DESCRIBE_IMAGES), 4);
}

static void a_wrong_clock_is_corrected(void **state)
{
    struct fixture *fixture = *state;
    static const char *const codes[] = {"RequestExpired", "RequestTimeTooSkewed",
                                        "SignatureDoesNotMatch", "RequestInTheFuture"};
    static const char *const dates[][2] = {{"Thu, 01 Jan 2026 01:00:00 GMT", "20260101T0100"},
                                           {"Wed, 31 Dec 2025 22:00:00 GMT", "20251231T2200"}};
    fake_aws_reply(fixture->fake, EC2_DESCRIBE_IMAGES, json_object());
    for (int i = 0; i < 8; i++) { // forth and back
        char body[256];
        snprintf(body, sizeof body,
                 "<Response><Errors><Error><Code>%s</Code><Message>m</Message></Error></Errors>"
                 "</Response>",
                 codes[i % 4]);
        fake_aws_raw_once(fixture->fake, EC2_DESCRIBE_IMAGES, 400, body, "Date", dates[i % 2][0]);
        call(fixture, (struct aws_request){.action = EC2_DESCRIBE_IMAGES});
        assert_int_equal(fixture->outcome.fault, AWS_FAULT_NONE);
        const char *signed_at = fake_aws_header(fixture->fake, "X-Amz-Date");
        assert_true(text_starts_with(signed_at, dates[i % 2][1]));
        call(fixture, (struct aws_request){.action = EC2_DESCRIBE_IMAGES}); // it is remembered
        signed_at = fake_aws_header(fixture->fake, "X-Amz-Date");
        assert_true(text_starts_with(signed_at, dates[i % 2][1]));
    }
    assert_int_equal(fake_aws_calls(fixture->fake, EC2_DESCRIBE_IMAGES), 8 * 3);
}

// Cut off, of a proxy, or of another question: as good as lost, and asked for again.
static void unreadable_answers_are_asked_for_again(void **state)
{
    struct fixture *fixture = *state;
    static const char *const bodies[] = {
        "",
        "<CreateFleetResponse><fleetId>fleet-",
        "<html><body>Bad gateway</body></html>",
        "{\"FleetId\": \"fleet-1\"}",
        "<!DOCTYPE a [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">"
        "<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;&b;\"><!ENTITY d \"&c;&c;&c;&c;&c;&c;&c;\">]>"
        "<CreateFleetResponse><fleetId>&d;</fleetId></CreateFleetResponse>",
    };
    fake_aws_reply(fixture->fake, EC2_CREATE_FLEET, json_pack("{s:s}", "FleetId", "fleet-1"));
    for (uint32_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        fake_aws_forget_calls(fixture->fake);
        fake_aws_raw_once(fixture->fake, EC2_CREATE_FLEET, 200, bodies[i], "Content-Type",
                          "text/html");
        call(fixture, (struct aws_request){.action = EC2_CREATE_FLEET});
        assert_int_equal(fixture->outcome.fault, AWS_FAULT_NONE);
        assert_int_equal(fake_aws_calls(fixture->fake, EC2_CREATE_FLEET), 2);
        const json_t *first = fake_aws_parameters(fixture->fake, EC2_CREATE_FLEET, 0);
        const json_t *second = fake_aws_parameters(fixture->fake, EC2_CREATE_FLEET, 1);
        assert_true(json_equal(first, second)); // the client token as well
    }
    fake_aws_raw_once(fixture->fake, EC2_CREATE_FLEET, 200, bodies[1], NULL, NULL);
    call(fixture, (struct aws_request){.action = EC2_CREATE_FLEET, .once = true});
    assert_int_equal(fixture->outcome.fault, AWS_FAULT_NO_ANSWER);
    assert_non_null(strstr(fixture->outcome.error.message, "the answer cannot be read"));
}

static void redirects_are_errors(void **state)
{
    struct fixture *fixture = *state;
    fake_aws_raw_once(fixture->fake, EC2_DESCRIBE_IMAGES, 301, "<html/>", "Location",
                      "http://evil/");
    call(fixture, (struct aws_request){.action = EC2_DESCRIBE_IMAGES});
    assert_int_equal(fixture->outcome.fault, AWS_FAULT_OTHER);
    assert_string_equal(fixture->outcome.error.message, "ec2:DescribeImages: HTTP status 301");
    assert_int_equal(fake_aws_calls(fixture->fake, EC2_DESCRIBE_IMAGES), 1);
}

static const char *variable(void *context, const char *name)
{
    const char *const *pair = context;
    return strcmp(name, pair[0]) == 0 ? pair[1] : NULL;
}

static void retries_can_be_set(void **state) // AWN-524
{
    (void)state;
    static const struct {
        const char *pair[2];
        uint32_t attempts; // 0: refused
    } cases[] = {
        {{"", ""}, 3},
        {{"AWS_MAX_ATTEMPTS", "1"}, 1},
        {{"AWS_MAX_ATTEMPTS", "10"}, 10},
        {{"AWS_MAX_ATTEMPTS", "0"}, 100},
        {{"AWS_MAX_ATTEMPTS", "99999999999"}, 100},
        {{"AWS_MAX_ATTEMPTS", "-1"}, 0},
        {{"AWS_MAX_ATTEMPTS", "many"}, 0},
        {{"AWS_RETRY_MODE", "Standard"}, 3},
        {{"AWS_RETRY_MODE", "adaptive"}, 3},
        {{"AWS_RETRY_MODE", "legacy"}, 3},
        {{"AWS_RETRY_MODE", "never"}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct aws_environment own = {variable, (void *)cases[i].pair};
        struct aws_retry retry;
        struct error error = {0};
        bool good = aws_retry_init(&retry, &own, &error);
        assert_int_equal(good, cases[i].attempts != 0);
        if (good)
            assert_int_equal(retry.attempts_max, cases[i].attempts);
        else
            assert_int_equal(error.kind, ERROR_INVALID);
    }
}

static void a_typo_is_an_error_of_the_call(void **state)
{
    struct fixture *fixture = *state;
    call(fixture, (struct aws_request){.action = EC2_DESCRIBE_IMAGES,
                                       .parameters = json_pack("{s:i}", "MaxResult", 1)});
    assert_int_equal(fixture->outcome.error.kind, ERROR_INVALID);
    assert_string_equal(fixture->outcome.error.message,
                        "ec2:DescribeImages has no parameter MaxResult");
}

static void throttled_classes_wait(void **state) // AWI-936
{
    struct fixture *fixture = *state;
    fake_aws_error(fixture->fake, EC2_CREATE_TAGS, 503, "RequestLimitExceeded", "slow down");
    fake_aws_reply(fixture->fake, EC2_TERMINATE_INSTANCES, json_object());
    start(fixture, (struct aws_request){.action = EC2_CREATE_TAGS, .once = true});
    loop_run_for(fixture->loop, 100 * MILLISECOND);
    assert_int_equal(fixture->outcome.fault, AWS_FAULT_THROTTLED);
    start(fixture, (struct aws_request){.action = EC2_CREATE_TAGS, .once = true});
    start(fixture, (struct aws_request){.action = EC2_CREATE_FLEET, .once = true});
    start(fixture, (struct aws_request){.action = EC2_TERMINATE_INSTANCES, .once = true});
    start(fixture, (struct aws_request){.action = EC2_DESCRIBE_IMAGES, .once = true});
    loop_run_for(fixture->loop, 50 * MILLISECOND);
    assert_int_equal(fake_aws_calls(fixture->fake, EC2_DESCRIBE_IMAGES), 1); // another class
    assert_int_equal(fake_aws_calls(fixture->fake, EC2_TERMINATE_INSTANCES), 0);
    while (fake_aws_calls(fixture->fake, EC2_TERMINATE_INSTANCES) == 0)
        assert_true(loop_step(fixture->loop));
    assert_int_equal(fake_aws_calls(fixture->fake, EC2_CREATE_FLEET), 0);
    while (fake_aws_calls(fixture->fake, EC2_CREATE_FLEET) == 0)
        assert_true(loop_step(fixture->loop));
    assert_int_equal(fake_aws_calls(fixture->fake, EC2_CREATE_TAGS), 1);
    loop_run(fixture->loop);
    assert_int_equal(fake_aws_calls(fixture->fake, EC2_CREATE_TAGS), 2);
}

// AWI-936: while the class is throttled, all that ends instances goes before what launches, and
// that before tags; and calls come at the pace that AWS allows.
static void contention_goes_by_priority(void **state)
{
    struct fixture *fixture = *state;
    static const enum aws_action actions[] = {EC2_CREATE_TAGS, EC2_CREATE_FLEET,
                                              EC2_TERMINATE_INSTANCES};
    enum { EACH = 8 };
    fake_aws_error(fixture->fake, EC2_DELETE_LAUNCH_TEMPLATE, 503, "RequestLimitExceeded", "slow");
    for (size_t i = 0; i < 3; i++)
        fake_aws_reply(fixture->fake, actions[i], json_object());
    start(fixture, (struct aws_request){.action = EC2_DELETE_LAUNCH_TEMPLATE, .once = true});
    loop_run_for(fixture->loop, 100 * MILLISECOND);
    for (int i = 0; i < EACH; i++) {
        for (size_t j = 0; j < 3; j++)
            start(fixture, (struct aws_request){.action = actions[j], .once = true});
    }
    int64_t began = loop_monotonic_ns(fixture->loop);
    while (fake_aws_calls(fixture->fake, EC2_CREATE_TAGS) < EACH) {
        uint32_t tags = fake_aws_calls(fixture->fake, EC2_CREATE_TAGS);
        uint32_t fleets = fake_aws_calls(fixture->fake, EC2_CREATE_FLEET);
        uint32_t ended = fake_aws_calls(fixture->fake, EC2_TERMINATE_INSTANCES);
        assert_true(fleets == 0 || ended == EACH);
        assert_true(tags == 0 || fleets == EACH);
        assert_true(loop_step(fixture->loop));
    }
    assert_true(loop_monotonic_ns(fixture->loop) - began > 5 * SECOND);
    loop_run(fixture->loop);
    assert_int_equal(fixture->outcome.done, 1 + 3 * EACH);
}

static void calls_end_with_the_client(void **state)
{
    struct fixture *fixture = *state;
    fake_aws_reply(fixture->fake, EC2_DESCRIBE_IMAGES, json_object());
    for (int i = 0; i < 4; i++) {
        struct aws_call *one = start(fixture, (struct aws_request){.action = EC2_DESCRIBE_IMAGES});
        loop_run_for(fixture->loop, i % 2);
        if (i < 2)
            aws_call_cancel(one);
    }
    fake_aws_destroy_client(fixture->fake);
    loop_run(fixture->loop);
    assert_int_equal(fixture->outcome.done, 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_call_is_signed_and_answered),
        TEST(errors_are_classified),
        TEST(denials_in_fleets_are_decoded_AWN_437_AWI_340),
        TEST(denials_in_fleets_that_stay_encoded),
        TEST(denials_in_fleets_are_left_alone_by_others),
        TEST(transient_errors_are_retried),
        TEST(attempts_are_limited),
        TEST(the_retry_quota_is_shared),
        TEST(pages_are_joined),
        TEST(pages_are_shown_one_by_one),
        TEST(endless_pages_are_an_error),
        TEST(a_wrong_clock_is_corrected),
        TEST(a_typo_is_an_error_of_the_call),
        TEST(throttled_classes_wait),
        TEST(calls_end_with_the_client),
        TEST(contention_goes_by_priority),
        TEST(a_token_that_comes_again_is_an_error),
        TEST(unreadable_answers_are_asked_for_again),
        TEST(redirects_are_errors),
        TEST(retries_can_be_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
