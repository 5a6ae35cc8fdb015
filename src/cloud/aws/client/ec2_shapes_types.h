// Requests and replies of EC2 about instance types and their prices. The members that adze knows,
// in the order of the API's reference.
#pragma once

#include "cloud/aws/client/aws_shapes.h"

extern const struct aws_shape ec2_describe_instance_types_request;
extern const struct aws_shape ec2_describe_instance_types_reply;
extern const struct aws_shape ec2_describe_instance_type_offerings_request;
extern const struct aws_shape ec2_describe_instance_type_offerings_reply;
extern const struct aws_shape ec2_describe_spot_price_history_request;
extern const struct aws_shape ec2_describe_spot_price_history_reply;
extern const struct aws_shape ec2_get_spot_placement_scores_request;
extern const struct aws_shape ec2_get_spot_placement_scores_reply;
