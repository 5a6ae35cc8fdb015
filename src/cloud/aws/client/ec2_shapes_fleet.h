// Requests and replies of EC2 for fleets and launch templates. The members that adze knows, in the
// order of the API's reference.
#pragma once

#include "cloud/aws/client/aws_shapes.h"

extern const struct aws_shape ec2_create_fleet_request;
extern const struct aws_shape ec2_create_fleet_reply;
extern const struct aws_shape ec2_create_launch_template_request;
extern const struct aws_shape ec2_create_launch_template_reply;
extern const struct aws_shape ec2_delete_launch_template_request;
extern const struct aws_shape ec2_delete_launch_template_reply;
extern const struct aws_shape ec2_describe_launch_templates_request;
extern const struct aws_shape ec2_describe_launch_templates_reply;
