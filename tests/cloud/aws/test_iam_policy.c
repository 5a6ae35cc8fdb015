// The IAM policy against the table of AWS actions (AWN-620, 621).
#include <string.h>

#include "support/cmocka_all.h"

#include "base/memory.h"
#include "base/text.h"
#include "cloud/aws/client/aws_denials.h"
#include "cloud/aws/controllers/console_text.h"
#include "cloud/aws/iam_policy.h"
#include "cloud/aws/nodeclass/refusal.h"

static bool changes_something(enum aws_action action)
{
    static const char *const reads[] = {"Describe", "Get", "List", "Receive", "Decode"};
    const char *name = aws_action_name(action);
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++)
        if (strncmp(name, reads[i], strlen(reads[i])) == 0)
            return false;
    return true;
}

// Not of the controller's policy: sts, which needs no permission or is part of the trust; the test
// message of `adze doctor`.
static bool needs_none(enum aws_action action)
{
    return aws_action_service(action) == AWS_STS || action == SQS_SEND_MESSAGE;
}

static struct iam_policy_options all(void)
{
    return (struct iam_policy_options){.partition = "aws",
                                       .region = "us-west-2",
                                       .account = "111122223333",
                                       .cluster = "test-cluster",
                                       .interruption_queue = "interruptions",
                                       .zonal_shift = true};
}

static json_t *policy_of(const struct iam_policy_options *options)
{
    struct error error = {0};
    json_t *policy = iam_policy_create(options, &error);
    if (policy == NULL)
        fail_msg("%s", error.message);
    return policy;
}

static void every_change_is_granted_AWN_620(void **state)
{
    (void)state;
    struct iam_policy_options options = all();
    json_t *policy = policy_of(&options);
    for (int i = 0; i < AWS_ACTION_COUNT; i++) {
        enum aws_action action = (enum aws_action)i;
        if (changes_something(action) && !needs_none(action) &&
            !iam_policy_allows(policy, aws_action_permission(action)))
            fail_msg("%s is not granted", aws_action_permission(action));
    }
    json_decref(policy);
}

// IAM's own names of the services.
static void prefixes_of_permissions(void **state)
{
    static const char *const prefixes[AWS_SERVICE_COUNT] = {
        [AWS_EC2] = "ec2:",
        [AWS_IAM] = "iam:",
        [AWS_STS] = "sts:",
        [AWS_SSM] = "ssm:",
        [AWS_SQS] = "sqs:",
        [AWS_EKS] = "eks:",
        [AWS_PRICING] = "pricing:",
        [AWS_ARC_ZONAL_SHIFT] = "arc-zonal-shift:",
        [AWS_SERVICE_QUOTAS] = "servicequotas:",
    };
    (void)state;
    for (int i = 0; i < AWS_ACTION_COUNT; i++) {
        const char *prefix = prefixes[aws_action_service((enum aws_action)i)];
        assert_int_equal(strncmp(aws_action_permission((enum aws_action)i), prefix, strlen(prefix)),
                         0);
    }
    // IAM has no action for the batch.
    assert_string_equal(aws_action_permission(SQS_DELETE_MESSAGE_BATCH), "sqs:DeleteMessage");
}

static bool grants(const json_t *policy, const char *sid, const char *action)
{
    size_t i, k;
    json_t *statement, *item;
    json_array_foreach (json_object_get(policy, "Statement"), i, statement)
        if (strcmp(json_string_value(json_object_get(statement, "Sid")), sid) == 0)
            json_array_foreach (json_object_get(statement, "Action"), k, item)
                if (strcmp(json_string_value(item), action) == 0)
                    return true;
    return false;
}

// The statement that a message names exists, and grants the action, with and without a queue.
static void named_statements_grant_AWN_437(void **state)
{
    (void)state;
    for (int queue = 0; queue < 2; queue++) {
        struct iam_policy_options options = all();
        options.doctor = true;
        options.interruption_queue = queue ? "interruptions" : NULL;
        json_t *policy = policy_of(&options), *statement, *action;
        size_t i, k;
        json_array_foreach (json_object_get(policy, "Statement"), i, statement)
            json_array_foreach (json_object_get(statement, "Action"), k, action) {
                const char *name = json_string_value(action);
                const char *sid = refusal_statement(name, "");
                if (sid == NULL || !grants(policy, sid, name))
                    fail_msg("%s is not in the statement %s", name, sid);
            }
        assert_true(grants(policy, refusal_statement("ec2:RunInstances", "arn:aws:ec2:r::image/i"),
                           "ec2:RunInstances"));
        static const char *const cases[][3] = {
            {"ec2:RunInstances", "arn:aws:ec2:r::image/i", "AllowScopedEC2InstanceAccessActions"},
            {"ec2:CreateFleet", "arn:aws-cn:ec2:r:1:subnet/s",
             "AllowScopedEC2InstanceAccessActions"},
            {"ec2:RunInstances", "arn:aws:ec2:r:1:launch-template/l",
             "AllowScopedEC2LaunchTemplateAccessActions"},
            {"ec2:CreateFleet", "arn:aws:ec2:r:1:instance/*",
             "AllowScopedEC2InstanceActionsWithTags"},
            {"ec2:RunInstances", "", "AllowScopedEC2InstanceActionsWithTags"},
            {"ec2:CreateTags", "arn:aws:ec2:r:1:instance/i", "AllowScopedResourceCreationTagging"},
            {"iam:PassRole", "arn:aws:iam::1:role/nodes", "AllowPassingInstanceRole"},
            {"sqs:DeleteMessage", "arn:aws:sqs:r:1:q", "AllowInterruptionQueueActions"},
            {"s3:GetObject", "arn:aws:s3:::bucket", NULL},
        };
        for (i = 0; i < ARRAY_LENGTH(cases); i++) {
            const char *sid = refusal_statement(cases[i][0], cases[i][1]);
            if (!text_equal(sid, cases[i][2]))
                fail_msg("%s on %s: %s", cases[i][0], cases[i][1], text_or_empty(sid));
        }
        json_decref(policy);
    }
}

static const char *resource_of(const json_t *policy, const char *sid, size_t index)
{
    size_t i;
    json_t *statement;
    json_array_foreach (json_object_get(policy, "Statement"), i, statement)
        if (strcmp(json_string_value(json_object_get(statement, "Sid")), sid) == 0)
            return json_string_value(json_array_get(json_object_get(statement, "Resource"), index));
    return NULL;
}

static void resources_of_lists_AWN_620(void **state)
{
    (void)state;
    struct iam_policy_options options = all();
    options.node_roles = "nodes,arn:aws:iam::1:role/path/other";
    options.interruption_queue = "https://sqs.eu-west-1.amazonaws.com/999988887777/q,plain";
    options.ssm_parameters = "/team/ami";
    json_t *policy = policy_of(&options);
    assert_string_equal(resource_of(policy, "AllowPassingInstanceRole", 0),
                        "arn:aws:iam::111122223333:role/nodes");
    assert_string_equal(resource_of(policy, "AllowPassingInstanceRole", 1),
                        "arn:aws:iam::1:role/path/other");
    assert_string_equal(resource_of(policy, "AllowInterruptionQueueActions", 0),
                        "arn:aws:sqs:eu-west-1:999988887777:q");
    assert_string_equal(resource_of(policy, "AllowInterruptionQueueActions", 1),
                        "arn:aws:sqs:us-west-2:111122223333:plain");
    assert_string_equal(resource_of(policy, "AllowSSMReadActions", 1),
                        "arn:aws:ssm:us-west-2:111122223333:parameter/team/ami");
    json_decref(policy);
    struct error error = {0};
    options.interruption_queue = "arn:aws:sqs:broken";
    assert_null(iam_policy_create(&options, &error));
    assert_non_null(strstr(error.message, "ARN"));
}

static void features_bring_their_statements_AWN_621(void **state)
{
    (void)state;
    struct iam_policy_options options = all();
    options.isolated_vpc = true;
    json_t *policy = policy_of(&options);
    assert_false(iam_policy_allows(policy, "pricing:GetProducts"));
    assert_false(iam_policy_allows(policy, "ec2:DescribeSpotInstanceRequests"));
    assert_false(iam_policy_allows(policy, "servicequotas:GetServiceQuota"));
    json_decref(policy);
    options.interruption_queue = NULL;
    policy = policy_of(&options);
    assert_true(iam_policy_allows(policy, "ec2:DescribeSpotInstanceRequests"));
    assert_false(iam_policy_allows(policy, "sqs:ReceiveMessage"));
    json_decref(policy);
    options.upstream = true;
    policy = policy_of(&options);
    assert_false(iam_policy_allows(policy, "ec2:DescribeSpotInstanceRequests"));
    assert_false(iam_policy_allows(policy, "ec2:GetConsoleOutput"));
    json_decref(policy);
}

// --- encoded messages and consoles ---------------------------------------------------------------

static void denials_are_read_AWN_437(void **state)
{
    (void)state;
    struct text text = {0};
    const char *introduction = NULL;
    const char *encoded = aws_denial_encoded(
        "You are not authorized. Encoded authorization failure message: abc-DEF_1 ", &introduction);
    assert_non_null(encoded);
    assert_int_equal(strncmp(encoded, "abc-DEF_1", 9), 0);
    assert_null(aws_denial_encoded("nothing of the kind", &introduction));
    assert_null(aws_denial_encoded("Encoded authorization failure message: ", &introduction));
    assert_false(aws_denial_read("not json", &text));
    assert_false(aws_denial_read("{\"context\":{\"action\":\"two words\"}}", &text));
    assert_int_equal(text.length, 0);
    assert_true(
        aws_denial_read("{\"explicitDeny\":true,\"context\":{\"action\":\"ec2:RunInstances\","
                        "\"resource\":\"arn:aws:ec2:r:1:subnet/s\"}}",
                        &text));
    assert_non_null(strstr(text.data, "perform: ec2:RunInstances on resource: "
                                      "arn:aws:ec2:r:1:subnet/s with an explicit deny"));
    text_free(&text);
}

static void consoles_are_made_harmless(void **state)
{
    (void)state;
    struct text text = {0};
    // "one\ntwo \033[31mred\033[0m\n token=AKIAIOSFODNN7EXAMPLE end\r\n\n"
    console_text_add(
        &text, "b25lCnR3byAbWzMxbXJlZBtbMG0KIHRva2VuIEFLSUFJT1NGT0ROTjdFWEFNUExFIGVuZA0KCg==");
    assert_string_equal(text.data, "one | two red | token *** end");
    text_clear(&text);
    console_text_add(&text, "");
    console_text_add(&text, NULL);
    console_text_add(&text, "!!!");
    assert_int_equal(text.length, 0);
    struct text much = {0};
    for (int i = 0; i < 9000; i++)
        text_add(&much, "YWJjIGRlZiAK"); // "abc def \n"
    console_text_add(&text, much.data);
    assert_true(text.length > 0 && text.length < 1000);
    text_clear(&text);
    text_clear(&much);
    for (int i = 0; i < 9000; i++)
        text_add(&much, "PT09"); // one line of "==="
    console_text_add(&text, much.data);
    assert_true(text.length > 0 && text.length < 1000);
    text_free(&much);
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_change_is_granted_AWN_620),
        cmocka_unit_test(prefixes_of_permissions),
        cmocka_unit_test(named_statements_grant_AWN_437),
        cmocka_unit_test(resources_of_lists_AWN_620),
        cmocka_unit_test(features_bring_their_statements_AWN_621),
        cmocka_unit_test(denials_are_read_AWN_437),
        cmocka_unit_test(consoles_are_made_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
