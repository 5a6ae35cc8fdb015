#include "cloud/aws/client/ec2_shapes.h"

AWS_SHAPE(ec2_tag, {"Key"}, {"Value"});
AWS_SHAPE(ec2_filter, {"Name"}, {"Values", "Value", AWS_LIST});
AWS_SHAPE(ec2_tag_specification, {"ResourceType"}, {"Tags", "Tag", AWS_LIST, &ec2_tag});
AWS_SHAPE(ec2_instance_state, {"Code", NULL, AWS_INTEGER}, {"Name"});
