#include "cloud/aws/iam_policy.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define ACTIONS_MAX    16
#define RESOURCES_MAX  8
#define CONDITIONS_MAX 6

enum feature { ALWAYS, QUEUE, ZONAL_SHIFT, PROFILES, OWN };

struct grant { // an action; NULL permission: the end
    enum aws_action action;
    const char *permission; // in place of the action, of one that is no call of its own
};
#define CALL(action) \
    {                \
        action, ""   \
    }
#define OTHER(name)            \
    {                          \
        AWS_ACTION_COUNT, name \
    }
#define END_OF_ACTIONS         \
    {                          \
        AWS_ACTION_COUNT, NULL \
    }

// In the texts %P is the partition, %R the region, %A the account, %C the cluster, %N the node
// role's ARN, %Q the queue's ARN.
struct iam_condition {
    const char *operator, * key;
    const char *values[4]; // a single one is written as text
};
struct statement {
    const char *sid;
    enum feature feature;
    struct grant actions[ACTIONS_MAX];
    const char *resources[RESOURCES_MAX];
    struct iam_condition conditions[CONDITIONS_MAX];
};

#define OWNED(tag)                                              \
    {                                                           \
        "StringEquals", "aws:" tag "/kubernetes.io/cluster/%C", \
        {                                                       \
            "owned"                                             \
        }                                                       \
    }
#define NAMED(tag)                                          \
    {                                                       \
        "StringEquals", "aws:" tag "/eks:eks-cluster-name", \
        {                                                   \
            "%C"                                            \
        }                                                   \
    }
#define REGION(tag)                                                  \
    {                                                                \
        "StringEquals", "aws:" tag "/topology.kubernetes.io/region", \
        {                                                            \
            "%R"                                                     \
        }                                                            \
    }
#define POOLED(tag)                                        \
    {                                                      \
        "StringLike", "aws:" tag "/karpenter.sh/nodepool", \
        {                                                  \
            "*"                                            \
        }                                                  \
    }
#define CLASSED(tag)                                                \
    {                                                               \
        "StringLike", "aws:" tag "/karpenter.k8s.aws/ec2nodeclass", \
        {                                                           \
            "*"                                                     \
        }                                                           \
    }
#define REQ "RequestTag"
#define RES "ResourceTag"

#define EC2_SIX                                                                              \
    {                                                                                        \
        "arn:%P:ec2:%R:*:fleet/*", "arn:%P:ec2:%R:*:instance/*", "arn:%P:ec2:%R:*:volume/*", \
            "arn:%P:ec2:%R:*:network-interface/*", "arn:%P:ec2:%R:*:launch-template/*",      \
            "arn:%P:ec2:%R:*:spot-instances-request/*"                                       \
    }
#define PROFILE_ARN "arn:%P:iam::%A:instance-profile/*"

static const struct statement statements[] = {
    {.sid = "AllowScopedEC2InstanceAccessActions",
     .actions = {CALL(EC2_RUN_INSTANCES), CALL(EC2_CREATE_FLEET), END_OF_ACTIONS},
     .resources = {"arn:%P:ec2:%R::image/*", "arn:%P:ec2:%R::snapshot/*",
                   "arn:%P:ec2:%R:*:security-group/*", "arn:%P:ec2:%R:*:subnet/*",
                   "arn:%P:ec2:%R:*:capacity-reservation/*", "arn:%P:ec2:%R:*:placement-group/*"}},
    {.sid = "AllowScopedEC2LaunchTemplateAccessActions",
     .actions = {CALL(EC2_RUN_INSTANCES), CALL(EC2_CREATE_FLEET), END_OF_ACTIONS},
     .resources = {"arn:%P:ec2:%R:*:launch-template/*"},
     .conditions = {OWNED(RES), POOLED(RES)}},
    {.sid = "AllowScopedEC2InstanceActionsWithTags",
     .actions = {CALL(EC2_RUN_INSTANCES), CALL(EC2_CREATE_FLEET), CALL(EC2_CREATE_LAUNCH_TEMPLATE),
                 END_OF_ACTIONS},
     .resources = EC2_SIX,
     .conditions = {OWNED(REQ), NAMED(REQ), POOLED(REQ)}},
    {.sid = "AllowScopedResourceCreationTagging",
     .actions = {CALL(EC2_CREATE_TAGS), END_OF_ACTIONS},
     .resources = EC2_SIX,
     .conditions = {OWNED(REQ),
                    NAMED(REQ),
                    {"StringEquals",
                     "ec2:CreateAction",
                     {"RunInstances", "CreateFleet", "CreateLaunchTemplate"}},
                    POOLED(REQ)}},
    {.sid = "AllowScopedResourceTagging",
     .actions = {CALL(EC2_CREATE_TAGS), END_OF_ACTIONS},
     .resources = {"arn:%P:ec2:%R:*:instance/*"},
     .conditions = {OWNED(RES),
                    POOLED(RES),
                    {"StringEqualsIfExists", "aws:RequestTag/eks:eks-cluster-name", {"%C"}},
                    {"ForAllValues:StringEquals",
                     "aws:TagKeys",
                     {"eks:eks-cluster-name", "karpenter.sh/nodeclaim", "Name"}}}},
    {.sid = "AllowScopedDeletion",
     .actions = {CALL(EC2_TERMINATE_INSTANCES), CALL(EC2_DELETE_LAUNCH_TEMPLATE), END_OF_ACTIONS},
     .resources = {"arn:%P:ec2:%R:*:instance/*", "arn:%P:ec2:%R:*:launch-template/*"},
     .conditions = {OWNED(RES), POOLED(RES)}},
    {.sid = "AllowRegionalReadActions",
     .actions = {CALL(EC2_DESCRIBE_CAPACITY_RESERVATIONS), CALL(EC2_DESCRIBE_IMAGES),
                 CALL(EC2_DESCRIBE_INSTANCES), CALL(EC2_DESCRIBE_INSTANCE_STATUS),
                 CALL(EC2_DESCRIBE_INSTANCE_TYPE_OFFERINGS), CALL(EC2_DESCRIBE_INSTANCE_TYPES),
                 CALL(EC2_DESCRIBE_LAUNCH_TEMPLATES), CALL(EC2_DESCRIBE_PLACEMENT_GROUPS),
                 CALL(EC2_DESCRIBE_SECURITY_GROUPS), CALL(EC2_DESCRIBE_SPOT_PRICE_HISTORY),
                 CALL(EC2_DESCRIBE_SUBNETS), END_OF_ACTIONS},
     .resources = {"*"},
     .conditions = {{"StringEquals", "aws:RequestedRegion", {"%R"}}}},
    {.sid = "AllowAdditionalRegionalReadActions",
     .feature = OWN,
     .actions = {CALL(EC2_DESCRIBE_AVAILABILITY_ZONES), CALL(EC2_DESCRIBE_SPOT_INSTANCE_REQUESTS),
                 CALL(EC2_GET_CONSOLE_OUTPUT), CALL(EC2_GET_SPOT_PLACEMENT_SCORES),
                 CALL(SERVICE_QUOTAS_GET_SERVICE_QUOTA), CALL(STS_DECODE_AUTHORIZATION_MESSAGE),
                 END_OF_ACTIONS},
     .resources = {"*"},
     .conditions = {{"StringEquals", "aws:RequestedRegion", {"%R"}}}},
    {.sid = "AllowSSMReadActions",
     .actions = {CALL(SSM_GET_PARAMETER), END_OF_ACTIONS},
     .resources = {"arn:%P:ssm:%R::parameter/aws/service/*"}},
    {.sid = "AllowPricingReadActions",
     .actions = {CALL(PRICING_GET_PRODUCTS), END_OF_ACTIONS},
     .resources = {"*"}},
    {.sid = "AllowPassingInstanceRole",
     .actions = {OTHER("iam:PassRole"), END_OF_ACTIONS},
     .resources = {"%N"},
     .conditions = {{"StringEquals",
                     "iam:PassedToService",
                     {"ec2.amazonaws.com", "ec2.amazonaws.com.cn"}}}},
    {.sid = "AllowScopedInstanceProfileCreationActions",
     .feature = PROFILES,
     .actions = {CALL(IAM_CREATE_INSTANCE_PROFILE), END_OF_ACTIONS},
     .resources = {PROFILE_ARN},
     .conditions = {OWNED(REQ), NAMED(REQ), REGION(REQ), CLASSED(REQ)}},
    {.sid = "AllowScopedInstanceProfileTagActions",
     .feature = PROFILES,
     .actions = {OTHER("iam:TagInstanceProfile"), END_OF_ACTIONS},
     .resources = {PROFILE_ARN},
     .conditions = {OWNED(RES), REGION(RES), OWNED(REQ), NAMED(REQ), REGION(REQ), CLASSED(RES)}},
    {.sid = "AllowScopedInstanceProfileActions",
     .feature = PROFILES,
     .actions = {CALL(IAM_ADD_ROLE_TO_INSTANCE_PROFILE),
                 CALL(IAM_REMOVE_ROLE_FROM_INSTANCE_PROFILE), CALL(IAM_DELETE_INSTANCE_PROFILE),
                 END_OF_ACTIONS},
     .resources = {PROFILE_ARN},
     .conditions = {OWNED(RES), REGION(RES), CLASSED(RES)}},
    {.sid = "AllowInstanceProfileReadActions",
     .actions = {CALL(IAM_GET_INSTANCE_PROFILE), END_OF_ACTIONS},
     .resources = {PROFILE_ARN}},
    {.sid = "AllowUnscopedInstanceProfileListAction",
     .actions = {CALL(IAM_LIST_INSTANCE_PROFILES), END_OF_ACTIONS},
     .resources = {"*"}},
    {.sid = "AllowAPIServerEndpointDiscovery",
     .actions = {CALL(EKS_DESCRIBE_CLUSTER), END_OF_ACTIONS},
     .resources = {"arn:%P:eks:%R:%A:cluster/%C"}},
    {.sid = "AllowInterruptionQueueActions",
     .feature = QUEUE,
     .actions = {CALL(SQS_DELETE_MESSAGE), CALL(SQS_GET_QUEUE_URL), CALL(SQS_RECEIVE_MESSAGE),
                 END_OF_ACTIONS},
     .resources = {"%Q"}},
    {.sid = "AllowZonalShiftStatusReadOnly",
     .feature = ZONAL_SHIFT,
     .actions = {CALL(ARC_ZONAL_SHIFT_GET_MANAGED_RESOURCE), END_OF_ACTIONS},
     .resources = {"*"},
     .conditions = {{"StringEquals",
                     "arc-zonal-shift:ResourceIdentifier",
                     {"arn:%P:eks:%R:%A:cluster/%C"}}}},
};

static bool is_wanted(const struct statement *statement, const struct iam_policy_options *options)
{
    switch (statement->feature) {
    case QUEUE:
        return !text_is_empty(options->interruption_queue);
    case ZONAL_SHIFT:
        return options->zonal_shift;
    case PROFILES:
        return !options->own_instance_profiles;
    case OWN:
        return !options->upstream;
    case ALWAYS:
        break;
    }
    return true;
}

static void add_node_role(struct text *out, const struct iam_policy_options *options)
{
    if (text_starts_with(options->node_role, "arn:"))
        text_add(out, options->node_role);
    else if (!text_is_empty(options->node_role))
        text_format(out, "arn:%s:iam::%s:role/%s", options->partition, options->account,
                    options->node_role);
    else
        text_format(out, "arn:%s:iam::%s:role/KarpenterNodeRole-%s", options->partition,
                    options->account, options->cluster);
}

static void add_queue(struct text *out, const struct iam_policy_options *options)
{
    if (text_starts_with(options->interruption_queue, "arn:"))
        text_add(out, options->interruption_queue);
    else
        text_format(out, "arn:%s:sqs:%s:%s:%s", options->partition, options->region,
                    options->account, options->interruption_queue);
}

static json_t *filled(const char *pattern, const struct iam_policy_options *options)
{
    struct text out = {0};
    for (const char *at = pattern; *at != '\0'; at++) {
        const char *value = *at != '%'     ? NULL
                            : at[1] == 'P' ? options->partition
                            : at[1] == 'R' ? options->region
                            : at[1] == 'A' ? options->account
                            : at[1] == 'C' ? options->cluster
                                           : NULL;
        if (*at != '%')
            text_add_char(&out, *at);
        else if (value != NULL)
            text_add(&out, value);
        else if (at[1] == 'N')
            add_node_role(&out, options);
        else
            add_queue(&out, options);
        at += *at == '%';
    }
    json_t *text = json_string(text_or_empty(out.data));
    text_free(&out);
    return text;
}

static void add_condition(json_t *out, const struct iam_condition *condition,
                          const struct iam_policy_options *options)
{
    json_t *operator= json_object_get(out, condition->operator);
    if (operator== NULL) {
        operator= json_object();
        json_object_set_new(out, condition->operator, operator);
    }
    json_t *values = json_array(), *key = filled(condition->key, options);
    for (size_t i = 0; i < ARRAY_LENGTH(condition->values) && condition->values[i] != NULL; i++)
        json_array_append_new(values, filled(condition->values[i], options));
    json_object_set(operator, json_string_value(key),
                    json_array_size(values) == 1 ? json_array_get(values, 0) : values);
    json_decref(values);
    json_decref(key);
}

static json_t *encode(const struct statement *statement, const struct iam_policy_options *options)
{
    json_t *actions = json_array(), *resources = json_array(), *conditions = json_object();
    for (size_t i = 0; i < ACTIONS_MAX && statement->actions[i].permission != NULL; i++) {
        const struct grant *grant = &statement->actions[i];
        json_array_append_new(actions, json_string(grant->permission[0] != '\0'
                                                       ? grant->permission
                                                       : aws_action_permission(grant->action)));
    }
    for (size_t i = 0; i < RESOURCES_MAX && statement->resources[i] != NULL; i++)
        json_array_append_new(resources, filled(statement->resources[i], options));
    for (size_t i = 0; i < CONDITIONS_MAX && statement->conditions[i].operator!= NULL; i++)
        add_condition(conditions, &statement->conditions[i], options);
    json_t *out = json_pack("{s:s, s:s, s:o, s:o}", "Sid", statement->sid, "Effect", "Allow",
                            "Action", actions, "Resource", resources);
    if (json_object_size(conditions) > 0)
        json_object_set(out, "Condition", conditions);
    json_decref(conditions);
    return out;
}

json_t *iam_policy_create(const struct iam_policy_options *options)
{
    assert(options->partition != NULL && options->region != NULL);
    assert(options->account != NULL && options->cluster != NULL);
    json_t *list = json_array();
    for (size_t i = 0; i < ARRAY_LENGTH(statements); i++)
        if (is_wanted(&statements[i], options))
            json_array_append_new(list, encode(&statements[i], options));
    return json_pack("{s:s, s:o}", "Version", "2012-10-17", "Statement", list);
}

bool iam_policy_allows(const json_t *policy, const char *permission)
{
    const json_t *statement, *action;
    size_t i, j;
    json_array_foreach (json_object_get(policy, "Statement"), i, statement)
        json_array_foreach (json_object_get(statement, "Action"), j, action)
            if (text_equal(json_string_value(action), permission))
                return true;
    return false;
}
