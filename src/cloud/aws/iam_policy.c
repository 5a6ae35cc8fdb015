#include "cloud/aws/iam_policy.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cloud/aws/interruption/queue_address.h"

#define ACTIONS_MAX    16
#define RESOURCES_MAX  8
#define CONDITIONS_MAX 6

enum feature { ALWAYS, QUEUE, NO_QUEUE, ZONAL_SHIFT, PROFILES, PRICES, OWN, DOCTOR, DOCTOR_QUEUE };

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
// roles' ARNs, %Q the queues' ARNs, %S the ARNs of parameters: each a resource of its own.
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
    // Why a node does not join, and why a call is refused.
    {.sid = "AllowDiagnosticReadActions",
     .feature = OWN,
     .actions = {CALL(EC2_GET_CONSOLE_OUTPUT), CALL(STS_DECODE_AUTHORIZATION_MESSAGE),
                 END_OF_ACTIONS},
     .resources = {"*"},
     .conditions = {{"StringEquals", "aws:RequestedRegion", {"%R"}}}},
    {.sid = "AllowSpotInterruptionReadActions",
     .feature = NO_QUEUE,
     .actions = {CALL(EC2_DESCRIBE_SPOT_INSTANCE_REQUESTS), END_OF_ACTIONS},
     .resources = {"*"},
     .conditions = {{"StringEquals", "aws:RequestedRegion", {"%R"}}}},
    {.sid = "AllowSSMReadActions",
     .actions = {CALL(SSM_GET_PARAMETER), END_OF_ACTIONS},
     .resources = {"arn:%P:ssm:%R::parameter/aws/service/*", "%S"}},
    {.sid = "AllowPricingReadActions",
     .feature = PRICES,
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
    {.sid = "AllowDoctorQuotaRead",
     .feature = DOCTOR,
     .actions = {CALL(SERVICE_QUOTAS_GET_SERVICE_QUOTA), END_OF_ACTIONS},
     .resources = {"*"}},
    {.sid = "AllowDoctorTestMessage",
     .feature = DOCTOR_QUEUE,
     .actions = {CALL(SQS_SEND_MESSAGE), END_OF_ACTIONS},
     .resources = {"%Q"}},
};

static bool is_wanted(const struct statement *statement, const struct iam_policy_options *options)
{
    bool queue = !text_is_empty(options->interruption_queue);
    switch (statement->feature) {
    case QUEUE:
        return queue;
    case NO_QUEUE:
        return !queue && !options->upstream;
    case ZONAL_SHIFT:
        return options->zonal_shift;
    case PROFILES:
        return !options->own_instance_profiles;
    case PRICES:
        return !options->isolated_vpc;
    case OWN:
        return !options->upstream;
    case DOCTOR:
        return options->doctor;
    case DOCTOR_QUEUE:
        return options->doctor && queue;
    case ALWAYS:
        break;
    }
    return true;
}

static json_t *filled(const char *pattern, const struct iam_policy_options *options)
{
    struct text out = {0};
    for (const char *at = pattern; *at != '\0'; at++) {
        if (*at != '%') {
            text_add_char(&out, *at);
            continue;
        }
        at++;
        assert(strchr("PRAC", *at) != NULL);
        text_add(&out, *at == 'P'   ? options->partition
                       : *at == 'R' ? options->region
                       : *at == 'A' ? options->account
                                    : options->cluster);
    }
    json_t *text = json_string(text_or_empty(out.data));
    text_free(&out);
    return text;
}

// --- resources that the options name -------------------------------------------------------------

// Calls `add` with each part of a list with commas.
static void each_part(const char *list, json_t *out, const struct iam_policy_options *options,
                      json_t *(*arn_of)(const char *part, const struct iam_policy_options *options))
{
    CLEANUP_FREE char *copy = memory_copy_string(text_or_empty(list));
    char *rest = copy;
    for (char *part; (part = strsep(&rest, ",")) != NULL;) {
        part += strspn(part, " ");
        part[strcspn(part, " ")] = '\0';
        if (*part != '\0')
            json_array_append_new(out, arn_of(part, options));
    }
}

static json_t *role_arn(const char *role, const struct iam_policy_options *options)
{
    if (text_starts_with(role, "arn:"))
        return json_string(role);
    return json_sprintf("arn:%s:iam::%s:role/%s", options->partition, options->account,
                        role + (role[0] == '/'));
}

static json_t *parameter_arn(const char *parameter, const struct iam_policy_options *options)
{
    if (text_starts_with(parameter, "arn:"))
        return json_string(parameter);
    return json_sprintf("arn:%s:ssm:%s:%s:parameter/%s", options->partition, options->region,
                        options->account, parameter + (parameter[0] == '/'));
}

static bool add_queues(json_t *out, const struct iam_policy_options *options, struct error *error)
{
    struct queue_address queues[QUEUES_MAX];
    unsigned count;
    if (!queue_addresses_parse(options->interruption_queue, options->upstream, queues, &count,
                               error))
        return false;
    for (unsigned i = 0; i < count; i++)
        json_array_append_new(
            out, json_sprintf("arn:%s:sqs:%s:%s:%s", options->partition,
                              queues[i].region[0] != '\0' ? queues[i].region : options->region,
                              queues[i].account[0] != '\0' ? queues[i].account : options->account,
                              queues[i].name));
    return true;
}

static bool add_resource(json_t *out, const char *pattern, const struct iam_policy_options *options,
                         struct error *error)
{
    if (strcmp(pattern, "%Q") == 0)
        return add_queues(out, options, error);
    if (strcmp(pattern, "%S") == 0)
        each_part(options->ssm_parameters, out, options, parameter_arn);
    else if (strcmp(pattern, "%N") == 0 && !text_is_empty(options->node_roles))
        each_part(options->node_roles, out, options, role_arn);
    else if (strcmp(pattern, "%N") == 0)
        json_array_append_new(out,
                              json_sprintf("arn:%s:iam::%s:role/KarpenterNodeRole-%s",
                                           options->partition, options->account, options->cluster));
    else
        json_array_append_new(out, filled(pattern, options));
    return true;
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

static bool add_statement(json_t *list, const struct statement *statement,
                          const struct iam_policy_options *options, struct error *error)
{
    bool good = true;
    json_t *actions = json_array(), *resources = json_array(), *conditions = json_object();
    for (size_t i = 0; i < ACTIONS_MAX && statement->actions[i].permission != NULL; i++) {
        const struct grant *grant = &statement->actions[i];
        json_array_append_new(actions, json_string(grant->permission[0] != '\0'
                                                       ? grant->permission
                                                       : aws_action_permission(grant->action)));
    }
    for (size_t i = 0; i < RESOURCES_MAX && statement->resources[i] != NULL; i++)
        good = good && add_resource(resources, statement->resources[i], options, error);
    for (size_t i = 0; i < CONDITIONS_MAX && statement->conditions[i].operator!= NULL; i++)
        add_condition(conditions, &statement->conditions[i], options);
    json_t *out = json_pack("{s:s, s:s, s:o, s:o}", "Sid", statement->sid, "Effect", "Allow",
                            "Action", actions, "Resource", resources);
    if (json_object_size(conditions) > 0)
        json_object_set(out, "Condition", conditions);
    json_decref(conditions);
    json_array_append_new(list, out);
    return good;
}

json_t *iam_policy_create(const struct iam_policy_options *options, struct error *error)
{
    assert(options->partition != NULL && options->region != NULL);
    assert(options->account != NULL && options->cluster != NULL);
    json_t *list = json_array();
    bool good = true;
    for (size_t i = 0; i < ARRAY_LENGTH(statements) && good; i++)
        if (is_wanted(&statements[i], options))
            good = add_statement(list, &statements[i], options, error);
    json_t *policy =
        good ? json_pack("{s:s, s:O}", "Version", "2012-10-17", "Statement", list) : NULL;
    json_decref(list);
    return policy;
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
