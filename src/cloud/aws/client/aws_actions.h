// The table of AWS actions that adze calls: service, protocol, paging, and the shapes of request
// and reply. Parameters and replies are JSON with the API's own member names, as botocore shows
// them:
// {"Filters": [{"Name": "state", "Values": ["active"]}], "MaxResults": 500}.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum aws_service {
    AWS_EC2,
    AWS_IAM,
    AWS_STS,
    AWS_SSM,
    AWS_SQS,
    AWS_EKS,
    AWS_PRICING,
    AWS_ARC_ZONAL_SHIFT,
    AWS_SERVICE_QUOTAS,
    AWS_SERVICE_COUNT
};

enum aws_action {
    EC2_CREATE_FLEET,
    EC2_CREATE_LAUNCH_TEMPLATE,
    EC2_CREATE_TAGS,
    EC2_DELETE_LAUNCH_TEMPLATE,
    EC2_DESCRIBE_AVAILABILITY_ZONES,
    EC2_DESCRIBE_CAPACITY_RESERVATIONS,
    EC2_DESCRIBE_IMAGES,
    EC2_DESCRIBE_INSTANCE_STATUS,
    EC2_DESCRIBE_INSTANCE_TYPE_OFFERINGS,
    EC2_DESCRIBE_INSTANCE_TYPES,
    EC2_DESCRIBE_INSTANCES,
    EC2_DESCRIBE_LAUNCH_TEMPLATES,
    EC2_DESCRIBE_PLACEMENT_GROUPS,
    EC2_DESCRIBE_SECURITY_GROUPS,
    EC2_DESCRIBE_SPOT_INSTANCE_REQUESTS,
    EC2_DESCRIBE_SPOT_PRICE_HISTORY,
    EC2_DESCRIBE_SUBNETS,
    EC2_GET_CONSOLE_OUTPUT,
    EC2_GET_SPOT_PLACEMENT_SCORES,
    EC2_RUN_INSTANCES,
    EC2_TERMINATE_INSTANCES,
    IAM_ADD_ROLE_TO_INSTANCE_PROFILE,
    IAM_CREATE_INSTANCE_PROFILE,
    IAM_DELETE_INSTANCE_PROFILE,
    IAM_GET_INSTANCE_PROFILE,
    IAM_LIST_INSTANCE_PROFILES,
    IAM_REMOVE_ROLE_FROM_INSTANCE_PROFILE,
    STS_ASSUME_ROLE,
    STS_ASSUME_ROLE_WITH_WEB_IDENTITY, // unsigned
    STS_DECODE_AUTHORIZATION_MESSAGE,
    STS_GET_CALLER_IDENTITY,
    SSM_GET_PARAMETER,
    SQS_DELETE_MESSAGE,
    SQS_DELETE_MESSAGE_BATCH,
    SQS_GET_QUEUE_ATTRIBUTES,
    SQS_GET_QUEUE_URL,
    SQS_RECEIVE_MESSAGE,
    SQS_SEND_MESSAGE,
    EKS_DESCRIBE_CLUSTER,
    PRICING_GET_PRODUCTS,
    ARC_ZONAL_SHIFT_GET_MANAGED_RESOURCE,
    SERVICE_QUOTAS_GET_SERVICE_QUOTA,
    AWS_ACTION_COUNT
};

enum aws_service aws_action_service(enum aws_action action);
const char *aws_action_name(enum aws_action action);       // "DescribeSubnets"
const char *aws_action_permission(enum aws_action action); // "ec2:DescribeSubnets"
const char *aws_service_name(enum aws_service service);    // "ec2": of permissions and endpoints
// For the simulated account: the action of a service by its name; AWS_ACTION_COUNT if unknown.
enum aws_action aws_action_find(enum aws_service service, const char *name);
