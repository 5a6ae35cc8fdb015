#include "sim/aws/account_dispatch.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "sim/aws/account_actions.h"
#include "sim/aws/account_faults.h"
#include "sim/aws/account_policy.h"
#include "sim/aws/account_signature.h"

// How an action treats DryRun and ClientToken.
enum action_trait {
    PLAIN,
    CHECKS_DRY_RUN = 1 << 0, // the handler asks call->dry_run after its own checks
    IDEMPOTENT = 1 << 1,
    UNSIGNED = 1 << 2,
};
static const struct action {
    enum aws_service service;
    const char *name;
    account_handler handler;
    int traits;
} actions[] = {
    {AWS_EC2, "CreateFleet", ec2_create_fleet, CHECKS_DRY_RUN | IDEMPOTENT},
    {AWS_EC2, "CreateLaunchTemplate", ec2_create_launch_template, CHECKS_DRY_RUN | IDEMPOTENT},
    {AWS_EC2, "CreateTags", ec2_create_tags, PLAIN},
    {AWS_EC2, "DeleteLaunchTemplate", ec2_delete_launch_template, PLAIN},
    {AWS_EC2, "DescribeAvailabilityZones", ec2_describe_availability_zones, PLAIN},
    {AWS_EC2, "DescribeCapacityReservations", ec2_describe_capacity_reservations, PLAIN},
    {AWS_EC2, "DescribeImages", ec2_describe_images, PLAIN},
    {AWS_EC2, "DescribeInstanceStatus", ec2_describe_instance_status, PLAIN},
    {AWS_EC2, "DescribeInstanceTypeOfferings", ec2_describe_instance_type_offerings, PLAIN},
    {AWS_EC2, "DescribeInstanceTypes", ec2_describe_instance_types, PLAIN},
    {AWS_EC2, "DescribeInstances", ec2_describe_instances, PLAIN},
    {AWS_EC2, "DescribeLaunchTemplates", ec2_describe_launch_templates, PLAIN},
    {AWS_EC2, "DescribePlacementGroups", ec2_describe_placement_groups, PLAIN},
    {AWS_EC2, "DescribeSecurityGroups", ec2_describe_security_groups, PLAIN},
    {AWS_EC2, "DescribeSpotInstanceRequests", ec2_describe_spot_instance_requests, PLAIN},
    {AWS_EC2, "DescribeSpotPriceHistory", ec2_describe_spot_price_history, PLAIN},
    {AWS_EC2, "DescribeSubnets", ec2_describe_subnets, PLAIN},
    {AWS_EC2, "GetConsoleOutput", ec2_get_console_output, PLAIN},
    {AWS_EC2, "GetSpotPlacementScores", ec2_get_spot_placement_scores, PLAIN},
    {AWS_EC2, "RunInstances", ec2_run_instances, CHECKS_DRY_RUN | IDEMPOTENT},
    {AWS_EC2, "TerminateInstances", ec2_terminate_instances, PLAIN},
    {AWS_IAM, "AddRoleToInstanceProfile", iam_add_role_to_instance_profile, PLAIN},
    {AWS_IAM, "CreateInstanceProfile", iam_create_instance_profile, PLAIN},
    {AWS_IAM, "DeleteInstanceProfile", iam_delete_instance_profile, PLAIN},
    {AWS_IAM, "GetInstanceProfile", iam_get_instance_profile, PLAIN},
    {AWS_IAM, "ListInstanceProfiles", iam_list_instance_profiles, PLAIN},
    {AWS_IAM, "RemoveRoleFromInstanceProfile", iam_remove_role_from_instance_profile, PLAIN},
    {AWS_STS, "AssumeRole", sts_assume_role, PLAIN},
    {AWS_STS, "AssumeRoleWithWebIdentity", sts_assume_role_with_web_identity, UNSIGNED},
    {AWS_STS, "DecodeAuthorizationMessage", sts_decode_authorization_message, PLAIN},
    {AWS_STS, "GetCallerIdentity", sts_get_caller_identity, PLAIN},
    {AWS_SSM, "GetParameter", ssm_get_parameter, PLAIN},
    {AWS_SQS, "DeleteMessage", sqs_delete_message, PLAIN},
    {AWS_SQS, "DeleteMessageBatch", sqs_delete_message_batch, PLAIN},
    {AWS_SQS, "GetQueueAttributes", sqs_get_queue_attributes, PLAIN},
    {AWS_SQS, "GetQueueUrl", sqs_get_queue_url, PLAIN},
    {AWS_SQS, "ReceiveMessage", sqs_receive_message, PLAIN},
    {AWS_SQS, "SendMessage", sqs_send_message, PLAIN},
    {AWS_EKS, "DescribeCluster", eks_describe_cluster, PLAIN},
    {AWS_PRICING, "GetProducts", pricing_get_products, PLAIN},
    {AWS_ARC_ZONAL_SHIFT, "GetManagedResource", arc_get_managed_resource, PLAIN},
    {AWS_SERVICE_QUOTAS, "GetServiceQuota", quotas_get_service_quota, PLAIN},
};
struct account_token { // the answer that a client token had
    char request[65];  // SHA-256 of the parameters
    json_t *reply, *fleet_reply;
};

static void action_run(struct account_call *call, const struct action *action);
static void idempotent_run(struct account_call *call, const struct action *action);
static void request_observe(struct account_call *call);

void account_dispatch(struct account_call *call, const struct aws_http_request *request)
{
    const struct action *found = NULL;
    for (size_t i = 0; i < ARRAY_LENGTH(actions); i++)
        if (actions[i].service == call->service && strcmp(actions[i].name, call->action) == 0)
            found = &actions[i];
    call->account->requests++;
    if (found == NULL) {
        account_refuse(call, 400, "InvalidAction", "the simulated account lacks this action");
        return;
    }
    bool checked = call->account->options.check_signatures && (found->traits & UNSIGNED) == 0;
    if (!checked || account_signature_check(call, request))
        action_run(call, found);
    request_observe(call);
}

static void action_run(struct account_call *call, const struct action *action)
{
    account_faults_of_call(call);
    if (call->code == NULL)
        account_policy_check(call);
    if (call->code == NULL && call->dry_run && (action->traits & CHECKS_DRY_RUN) == 0)
        account_refuse_dry_run(call);
    if (call->code != NULL)
        return;
    if ((action->traits & IDEMPOTENT) != 0 && !call->dry_run)
        idempotent_run(call, action);
    else
        action->handler(call);
    if (call->code == NULL)
        call->status = 200;
}

static void idempotent_run(struct account_call *call, const struct action *action)
{
    const char *token = json_text(call->params, "ClientToken");
    if (token[0] == '\0') {
        action->handler(call);
        return;
    }
    CLEANUP_FREE char *text = json_dumps(call->params, JSON_COMPACT | JSON_SORT_KEYS);
    char hash[65];
    hash_sha256_hex(text, strlen(text), hash);
    struct text key = {0};
    text_format(&key, "%s %s", call->action, token);
    struct account_token *known = map_get(call->account->tokens, key.data);
    if (known == NULL) {
        action->handler(call);
        if (call->code == NULL) {
            known = map_ensure(call->account->tokens, key.data, sizeof *known);
            memcpy(known->request, hash, sizeof hash);
            known->reply = json_deep_copy(call->reply);
            known->fleet_reply = json_deep_copy(call->fleet_reply);
        }
    } else if (strcmp(known->request, hash) != 0)
        account_refuse(call, 400, "IdempotentParameterMismatch",
                       "The client token has already been used with other parameters.");
    else {
        call->reply = json_deep_copy(known->reply);
        call->fleet_reply = json_deep_copy(known->fleet_reply);
    }
    text_free(&key);
}

static void token_free(void *value)
{
    struct account_token *token = value;
    json_decref(token->reply);
    json_decref(token->fleet_reply);
    free(token);
}

void account_tokens_destroy(struct map *tokens)
{
    map_destroy(tokens, token_free);
}

static void request_observe(struct account_call *call)
{
    const struct aws_account_options *options = &call->account->options;
    const struct aws_account_request request = {
        .service = call->service,
        .action = call->action,
        .params = call->params,
        .dry_run = call->dry_run,
        .error_code = call->code,
        .error_message = call->message,
        .reply = call->fleet_reply,
        .count = call->count,
    };
    if (options->requested != NULL)
        options->requested(options->context, &request);
}
