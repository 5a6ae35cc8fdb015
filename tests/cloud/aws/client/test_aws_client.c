// Calls: paging, retries, throttling, tokens, errors (AWN-524, AWN-600, AWI-936).
#include "support/cmocka_all.h"

#include "base/loop_virtual.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "cloud/aws/client/aws_fault.h"
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

static void a_wrong_clock_is_corrected(void **state)
{
    struct fixture *fixture = *state;
    const char *body =
        "<Response><Errors><Error><Code>RequestExpired</Code><Message>m</Message></Error>"
        "</Errors></Response>";
    fake_aws_raw_once(fixture->fake, EC2_DESCRIBE_IMAGES, 400, body, "Date",
                      "Thu, 01 Jan 2026 01:00:00 GMT");
    fake_aws_reply(fixture->fake, EC2_DESCRIBE_IMAGES, json_object());
    call(fixture, (struct aws_request){.action = EC2_DESCRIBE_IMAGES});
    assert_int_equal(fixture->outcome.fault, AWS_FAULT_NONE);
    assert_string_equal(fake_aws_header(fixture->fake, "X-Amz-Date"), "20260101T010000Z");
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
        TEST(a_call_is_signed_and_answered), TEST(errors_are_classified),
        TEST(transient_errors_are_retried),  TEST(attempts_are_limited),
        TEST(the_retry_quota_is_shared),     TEST(pages_are_joined),
        TEST(pages_are_shown_one_by_one),    TEST(endless_pages_are_an_error),
        TEST(a_wrong_clock_is_corrected),    TEST(a_typo_is_an_error_of_the_call),
        TEST(throttled_classes_wait),        TEST(calls_end_with_the_client),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
