// Requests and replies of EC2 that read zones, networks, images and reservations. The members that
// adze knows, in the order of the API's reference.
#pragma once

#include "cloud/aws/client/aws_shapes.h"

extern const struct aws_shape ec2_describe_availability_zones_request;
extern const struct aws_shape ec2_describe_availability_zones_reply;
extern const struct aws_shape ec2_describe_capacity_reservations_request;
extern const struct aws_shape ec2_describe_capacity_reservations_reply;
extern const struct aws_shape ec2_describe_images_request;
extern const struct aws_shape ec2_describe_images_reply;
extern const struct aws_shape ec2_describe_placement_groups_request;
extern const struct aws_shape ec2_describe_placement_groups_reply;
extern const struct aws_shape ec2_describe_security_groups_request;
extern const struct aws_shape ec2_describe_security_groups_reply;
extern const struct aws_shape ec2_describe_subnets_request;
extern const struct aws_shape ec2_describe_subnets_reply;
