#include "cloud/aws/nodeclass/iam_statements.h"

#include "base/memory.h"

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

static const struct iam_statement statements[] = {
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
     .feature = IAM_OWN,
     .actions = {CALL(EC2_GET_CONSOLE_OUTPUT), CALL(STS_DECODE_AUTHORIZATION_MESSAGE),
                 END_OF_ACTIONS},
     .resources = {"*"},
     .conditions = {{"StringEquals", "aws:RequestedRegion", {"%R"}}}},
    {.sid = "AllowSpotInterruptionReadActions",
     .feature = IAM_NO_QUEUE,
     .actions = {CALL(EC2_DESCRIBE_SPOT_INSTANCE_REQUESTS), END_OF_ACTIONS},
     .resources = {"*"},
     .conditions = {{"StringEquals", "aws:RequestedRegion", {"%R"}}}},
    {.sid = "AllowSSMReadActions",
     .actions = {CALL(SSM_GET_PARAMETER), END_OF_ACTIONS},
     .resources = {"arn:%P:ssm:%R::parameter/aws/service/*", "%S"}},
    {.sid = "AllowPricingReadActions",
     .feature = IAM_PRICES,
     .actions = {CALL(PRICING_GET_PRODUCTS), END_OF_ACTIONS},
     .resources = {"*"}},
    {.sid = "AllowPassingInstanceRole",
     .actions = {OTHER("iam:PassRole"), END_OF_ACTIONS},
     .resources = {"%N"},
     .conditions = {{"StringEquals",
                     "iam:PassedToService",
                     {"ec2.amazonaws.com", "ec2.amazonaws.com.cn"}}}},
    {.sid = "AllowScopedInstanceProfileCreationActions",
     .feature = IAM_PROFILES,
     .actions = {CALL(IAM_CREATE_INSTANCE_PROFILE), END_OF_ACTIONS},
     .resources = {PROFILE_ARN},
     .conditions = {OWNED(REQ), NAMED(REQ), REGION(REQ), CLASSED(REQ)}},
    {.sid = "AllowScopedInstanceProfileTagActions",
     .feature = IAM_PROFILES,
     .actions = {OTHER("iam:TagInstanceProfile"), END_OF_ACTIONS},
     .resources = {PROFILE_ARN},
     .conditions = {OWNED(RES), REGION(RES), OWNED(REQ), NAMED(REQ), REGION(REQ), CLASSED(RES)}},
    {.sid = "AllowScopedInstanceProfileActions",
     .feature = IAM_PROFILES,
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
     .feature = IAM_QUEUE,
     .actions = {CALL(SQS_DELETE_MESSAGE), CALL(SQS_GET_QUEUE_URL), CALL(SQS_RECEIVE_MESSAGE),
                 END_OF_ACTIONS},
     .resources = {"%Q"}},
    {.sid = "AllowZonalShiftStatusReadOnly",
     .feature = IAM_ZONAL_SHIFT,
     .actions = {CALL(ARC_ZONAL_SHIFT_GET_MANAGED_RESOURCE), END_OF_ACTIONS},
     .resources = {"*"},
     .conditions = {{"StringEquals",
                     "arc-zonal-shift:ResourceIdentifier",
                     {"arn:%P:eks:%R:%A:cluster/%C"}}}},
    {.sid = "AllowDoctorQuotaRead",
     .feature = IAM_DOCTOR,
     .actions = {CALL(SERVICE_QUOTAS_GET_SERVICE_QUOTA), END_OF_ACTIONS},
     .resources = {"*"}},
    {.sid = "AllowDoctorTestMessage",
     .feature = IAM_DOCTOR_QUEUE,
     .actions = {CALL(SQS_SEND_MESSAGE), END_OF_ACTIONS},
     .resources = {"%Q"}},
};

const struct iam_statement *iam_statements(size_t *count)
{
    *count = ARRAY_LENGTH(statements);
    return statements;
}

const char *iam_statement_permission(const struct iam_statement *statement, size_t index)
{
    if (index >= IAM_ACTIONS_MAX || statement->actions[index].permission == NULL)
        return NULL;
    const struct iam_grant *grant = &statement->actions[index];
    return grant->permission[0] != '\0' ? grant->permission : aws_action_permission(grant->action);
}
