// The IAM policy against the table of AWS actions (AWN-620, 621).
#include <string.h>

#include "support/cmocka_all.h"

#include "cloud/aws/iam_policy.h"

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
// message of `adze doctor`; a batch needs the permission of the single call.
static bool needs_none(enum aws_action action)
{
    return aws_action_service(action) == AWS_STS || action == SQS_SEND_MESSAGE ||
           action == SQS_DELETE_MESSAGE_BATCH;
}

static void every_change_is_granted_AWN_620(void **state)
{
    (void)state;
    struct iam_policy_options options = {.partition = "aws",
                                         .region = "us-west-2",
                                         .account = "111122223333",
                                         .cluster = "test-cluster",
                                         .interruption_queue = "interruptions",
                                         .zonal_shift = true};
    struct error error = {0};
    json_t *policy = iam_policy_create(&options, &error);
    for (int i = 0; i < AWS_ACTION_COUNT; i++) {
        enum aws_action action = (enum aws_action)i;
        if (changes_something(action) && !needs_none(action) &&
            !iam_policy_allows(policy, aws_action_permission(action)))
            fail_msg("%s is not granted", aws_action_permission(action));
    }
    json_decref(policy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_change_is_granted_AWN_620),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
