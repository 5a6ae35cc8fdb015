// The table of AWS actions that adze calls: service, protocol, paging, and the shapes of request
// and reply. Parameters and replies are JSON with the API's own member names, as botocore shows
// them:
// {"Filters": [{"Name": "state", "Values": ["active"]}], "MaxResults": 500}.
#pragma once

#include "cloud/aws/client/aws_action.h"

enum aws_service aws_action_service(enum aws_action action);
const char *aws_action_name(enum aws_action action);       // "DescribeSubnets"
const char *aws_action_permission(enum aws_action action); // "ec2:DescribeSubnets"
const char *aws_service_name(enum aws_service service);    // "ec2": of permissions and endpoints
// For the simulated account: the action of a service by its name; AWS_ACTION_COUNT if unknown.
enum aws_action aws_action_find(enum aws_service service, const char *name);
