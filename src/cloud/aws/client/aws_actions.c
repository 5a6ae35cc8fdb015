#include "cloud/aws/client/aws_actions.h"

#include <assert.h>
#include <string.h>

#include "cloud/aws/client/aws_action_info.h"
#include "cloud/aws/client/ec2_shapes_fleet.h"
#include "cloud/aws/client/ec2_shapes_instances.h"
#include "cloud/aws/client/ec2_shapes_network.h"
#include "cloud/aws/client/ec2_shapes_types.h"
#include "cloud/aws/client/identity_shapes.h"
#include "cloud/aws/client/json_shapes.h"

static const struct aws_service_info services[AWS_SERVICE_COUNT] = {
    [AWS_EC2] = {"ec2", "ec2", "ec2", "EC2", "EC2", AWS_PROTOCOL_EC2, "2016-11-15"},
    [AWS_IAM] = {"iam", "iam", "iam", "IAM", "IAM", AWS_PROTOCOL_QUERY, "2010-05-08"},
    [AWS_STS] = {"sts", "sts", "sts", "STS", "STS", AWS_PROTOCOL_QUERY, "2011-06-15"},
    [AWS_SSM] = {"ssm", "ssm", "ssm", "SSM", "SSM", AWS_PROTOCOL_JSON, "1.1", "AmazonSSM"},
    [AWS_SQS] = {"sqs", "sqs", "sqs", "SQS", "SQS", AWS_PROTOCOL_JSON, "1.0", "AmazonSQS"},
    [AWS_EKS] = {"eks", "eks", "eks", "EKS", "EKS", AWS_PROTOCOL_REST_JSON},
    [AWS_PRICING] = {"pricing", "pricing", "api.pricing", "PRICING", "Pricing", AWS_PROTOCOL_JSON,
                     "1.1", "AWSPriceListService"},
    [AWS_ARC_ZONAL_SHIFT] = {"arc-zonal-shift", "arc-zonal-shift", "arc-zonal-shift",
                             "ARC_ZONAL_SHIFT", "ARC Zonal Shift", AWS_PROTOCOL_REST_JSON},
    [AWS_SERVICE_QUOTAS] = {"servicequotas", "servicequotas", "servicequotas", "SERVICE_QUOTAS",
                            "Service Quotas", AWS_PROTOCOL_JSON, "1.1", "ServiceQuotasV20190624"},
};

// Rows: `shape` makes the shapes' names.
#define ROW(service, prefix, action, shape, ...)                                            \
    {                                                                                       \
        service, #action, prefix ":" #action, &shape##_request, &shape##_reply, __VA_ARGS__ \
    }
// Its reply passes as it is.
#define JSON_ROW(service, prefix, action, shape, ...)                             \
    {                                                                             \
        service, #action, prefix ":" #action, &shape##_request, NULL, __VA_ARGS__ \
    }
#define READ        .priority = AWS_PRIORITY_READ
#define CHANGE      .is_mutating = true, .priority = AWS_PRIORITY_LAUNCH
#define END         .is_mutating = true, .priority = AWS_PRIORITY_TERMINATE
#define PAGES(list) .page_token = "NextToken", .page_list = list

static const struct aws_action_info actions[AWS_ACTION_COUNT] = {
    [EC2_CREATE_FLEET] =
        ROW(AWS_EC2, "ec2", CreateFleet, ec2_create_fleet, CHANGE, .client_token = "ClientToken"),
    [EC2_CREATE_LAUNCH_TEMPLATE] =
        ROW(AWS_EC2, "ec2", CreateLaunchTemplate, ec2_create_launch_template, CHANGE,
            .client_token = "ClientToken"),
    [EC2_CREATE_TAGS] = ROW(AWS_EC2, "ec2", CreateTags, ec2_create_tags, .is_mutating = true,
                            .priority = AWS_PRIORITY_TAG),
    [EC2_DELETE_LAUNCH_TEMPLATE] =
        ROW(AWS_EC2, "ec2", DeleteLaunchTemplate, ec2_delete_launch_template, CHANGE),
    [EC2_DESCRIBE_AVAILABILITY_ZONES] =
        ROW(AWS_EC2, "ec2", DescribeAvailabilityZones, ec2_describe_availability_zones, READ),
    [EC2_DESCRIBE_CAPACITY_RESERVATIONS] =
        ROW(AWS_EC2, "ec2", DescribeCapacityReservations, ec2_describe_capacity_reservations, READ,
            PAGES("CapacityReservations")),
    [EC2_DESCRIBE_IMAGES] =
        ROW(AWS_EC2, "ec2", DescribeImages, ec2_describe_images, READ, PAGES("Images")),
    [EC2_DESCRIBE_INSTANCE_STATUS] =
        ROW(AWS_EC2, "ec2", DescribeInstanceStatus, ec2_describe_instance_status, READ,
            PAGES("InstanceStatuses")),
    [EC2_DESCRIBE_INSTANCE_TYPE_OFFERINGS] =
        ROW(AWS_EC2, "ec2", DescribeInstanceTypeOfferings, ec2_describe_instance_type_offerings,
            READ, PAGES("InstanceTypeOfferings")),
    [EC2_DESCRIBE_INSTANCE_TYPES] = ROW(AWS_EC2, "ec2", DescribeInstanceTypes,
                                        ec2_describe_instance_types, READ, PAGES("InstanceTypes")),
    [EC2_DESCRIBE_INSTANCES] =
        ROW(AWS_EC2, "ec2", DescribeInstances, ec2_describe_instances, READ, PAGES("Reservations")),
    [EC2_DESCRIBE_LAUNCH_TEMPLATES] =
        ROW(AWS_EC2, "ec2", DescribeLaunchTemplates, ec2_describe_launch_templates, READ,
            PAGES("LaunchTemplates")),
    [EC2_DESCRIBE_PLACEMENT_GROUPS] =
        ROW(AWS_EC2, "ec2", DescribePlacementGroups, ec2_describe_placement_groups, READ),
    [EC2_DESCRIBE_SECURITY_GROUPS] =
        ROW(AWS_EC2, "ec2", DescribeSecurityGroups, ec2_describe_security_groups, READ,
            PAGES("SecurityGroups")),
    [EC2_DESCRIBE_SPOT_INSTANCE_REQUESTS] =
        ROW(AWS_EC2, "ec2", DescribeSpotInstanceRequests, ec2_describe_spot_instance_requests, READ,
            PAGES("SpotInstanceRequests")),
    [EC2_DESCRIBE_SPOT_PRICE_HISTORY] =
        ROW(AWS_EC2, "ec2", DescribeSpotPriceHistory, ec2_describe_spot_price_history, READ,
            PAGES("SpotPriceHistory")),
    [EC2_DESCRIBE_SUBNETS] =
        ROW(AWS_EC2, "ec2", DescribeSubnets, ec2_describe_subnets, READ, PAGES("Subnets")),
    [EC2_GET_CONSOLE_OUTPUT] = ROW(AWS_EC2, "ec2", GetConsoleOutput, ec2_get_console_output, READ),
    [EC2_GET_SPOT_PLACEMENT_SCORES] =
        ROW(AWS_EC2, "ec2", GetSpotPlacementScores, ec2_get_spot_placement_scores, READ,
            PAGES("SpotPlacementScores")),
    [EC2_RUN_INSTANCES] =
        ROW(AWS_EC2, "ec2", RunInstances, ec2_run_instances, CHANGE, .client_token = "ClientToken"),
    [EC2_TERMINATE_INSTANCES] =
        ROW(AWS_EC2, "ec2", TerminateInstances, ec2_terminate_instances, END),
    [IAM_ADD_ROLE_TO_INSTANCE_PROFILE] =
        ROW(AWS_IAM, "iam", AddRoleToInstanceProfile, iam_add_role_to_instance_profile, CHANGE),
    [IAM_CREATE_INSTANCE_PROFILE] =
        ROW(AWS_IAM, "iam", CreateInstanceProfile, iam_create_instance_profile, CHANGE),
    [IAM_DELETE_INSTANCE_PROFILE] =
        ROW(AWS_IAM, "iam", DeleteInstanceProfile, iam_delete_instance_profile, CHANGE),
    [IAM_GET_INSTANCE_PROFILE] =
        ROW(AWS_IAM, "iam", GetInstanceProfile, iam_get_instance_profile, READ),
    [IAM_LIST_INSTANCE_PROFILES] =
        ROW(AWS_IAM, "iam", ListInstanceProfiles, iam_list_instance_profiles, READ,
            .page_token = "Marker", .page_list = "InstanceProfiles", .page_more = "IsTruncated"),
    [IAM_REMOVE_ROLE_FROM_INSTANCE_PROFILE] = ROW(AWS_IAM, "iam", RemoveRoleFromInstanceProfile,
                                                  iam_remove_role_from_instance_profile, CHANGE),
    [STS_ASSUME_ROLE] = ROW(AWS_STS, "sts", AssumeRole, sts_assume_role, READ),
    [STS_ASSUME_ROLE_WITH_WEB_IDENTITY] =
        ROW(AWS_STS, "sts", AssumeRoleWithWebIdentity, sts_assume_role_with_web_identity, READ),
    [STS_DECODE_AUTHORIZATION_MESSAGE] =
        ROW(AWS_STS, "sts", DecodeAuthorizationMessage, sts_decode_authorization_message, READ),
    [STS_GET_CALLER_IDENTITY] =
        ROW(AWS_STS, "sts", GetCallerIdentity, sts_get_caller_identity, READ),
    [SSM_GET_PARAMETER] = JSON_ROW(AWS_SSM, "ssm", GetParameter, ssm_get_parameter, READ),
    [SQS_DELETE_MESSAGE] = JSON_ROW(AWS_SQS, "sqs", DeleteMessage, sqs_delete_message, CHANGE),
    [SQS_DELETE_MESSAGE_BATCH] = {AWS_SQS, "DeleteMessageBatch",
                                  "sqs:DeleteMessage", // IAM knows the single one
                                  &sqs_delete_message_batch_request, NULL, CHANGE},
    [SQS_GET_QUEUE_ATTRIBUTES] =
        JSON_ROW(AWS_SQS, "sqs", GetQueueAttributes, sqs_get_queue_attributes, READ),
    [SQS_GET_QUEUE_URL] = JSON_ROW(AWS_SQS, "sqs", GetQueueUrl, sqs_get_queue_url, READ),
    [SQS_RECEIVE_MESSAGE] = JSON_ROW(AWS_SQS, "sqs", ReceiveMessage, sqs_receive_message, READ),
    [SQS_SEND_MESSAGE] = JSON_ROW(AWS_SQS, "sqs", SendMessage, sqs_send_message, CHANGE),
    [EKS_DESCRIBE_CLUSTER] = JSON_ROW(AWS_EKS, "eks", DescribeCluster, eks_describe_cluster, READ,
                                      .path = "/clusters/", .path_parameter = "name"),
    [PRICING_GET_PRODUCTS] = JSON_ROW(AWS_PRICING, "pricing", GetProducts, pricing_get_products,
                                      READ, PAGES("PriceList")),
    [ARC_ZONAL_SHIFT_GET_MANAGED_RESOURCE] =
        ROW(AWS_ARC_ZONAL_SHIFT, "arc-zonal-shift", GetManagedResource,
            arc_zonal_shift_get_managed_resource, READ, .path = "/managedresources/",
            .path_parameter = "resourceIdentifier"),
    [SERVICE_QUOTAS_GET_SERVICE_QUOTA] =
        JSON_ROW(AWS_SERVICE_QUOTAS, "servicequotas", GetServiceQuota,
                 service_quotas_get_service_quota, READ),
};

const struct aws_action_info *aws_action_info(enum aws_action action)
{
    assert(action < AWS_ACTION_COUNT);
    assert(actions[action].name != NULL);
    return &actions[action];
}

const struct aws_service_info *aws_service_info(enum aws_service service)
{
    assert(service < AWS_SERVICE_COUNT);
    return &services[service];
}

enum aws_service aws_action_service(enum aws_action action)
{
    return aws_action_info(action)->service;
}

const char *aws_action_name(enum aws_action action)
{
    return aws_action_info(action)->name;
}

const char *aws_action_permission(enum aws_action action)
{
    return aws_action_info(action)->permission;
}

const char *aws_service_name(enum aws_service service)
{
    return aws_service_info(service)->name;
}

enum aws_action aws_action_find(enum aws_service service, const char *name)
{
    for (enum aws_action action = 0; action < AWS_ACTION_COUNT; action++) {
        if (actions[action].service == service && strcmp(actions[action].name, name) == 0)
            return action;
    }
    return AWS_ACTION_COUNT;
}
