// Requests and replies of EC2 that start, read and end instances. The members that adze knows, in
// the order of the API's reference.
#pragma once

#include "cloud/aws/client/aws_shapes.h"

extern const struct aws_shape ec2_run_instances_request;
extern const struct aws_shape ec2_run_instances_reply;
extern const struct aws_shape ec2_create_tags_request;
extern const struct aws_shape ec2_create_tags_reply;
extern const struct aws_shape ec2_terminate_instances_request;
extern const struct aws_shape ec2_terminate_instances_reply;
extern const struct aws_shape ec2_describe_instances_request;
extern const struct aws_shape ec2_describe_instances_reply;
extern const struct aws_shape ec2_describe_instance_status_request;
extern const struct aws_shape ec2_describe_instance_status_reply;
extern const struct aws_shape ec2_describe_spot_instance_requests_request;
extern const struct aws_shape ec2_describe_spot_instance_requests_reply;
extern const struct aws_shape ec2_get_console_output_request;
extern const struct aws_shape ec2_get_console_output_reply;
