// Shapes that several sources of EC2's share. The members that adze knows, in the order of the
// API's reference.
#pragma once

#include "cloud/aws/client/aws_shapes.h"

extern const struct aws_shape ec2_tag;
extern const struct aws_shape ec2_filter;
extern const struct aws_shape ec2_tag_specification;
extern const struct aws_shape ec2_instance_state;
