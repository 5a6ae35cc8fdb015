// Block device mappings as EC2 takes them (AWN-211, 220).
#pragma once

#include <jansson.h>

#include "model/schema/ec2_node_class.h"

// A list for LaunchTemplateData.BlockDeviceMappings; NULL: leave the field out. A mapping without
// ebs or name is left out (AWN-704): block_devices_check() has refused it before.
json_t *block_devices_json(const struct ec2_node_class *node_class);
bool block_devices_check(const struct ec2_node_class *node_class, struct error *error) MUST_USE;
