// Network interfaces of a launch template (AWN-345 to 350).
#pragma once

#include <jansson.h>

#include "cloud/aws/families/cluster_facts.h"
#include "model/schema/ec2_node_class.h"

// A list for LaunchTemplateData.NetworkInterfaces; `efa_interfaces`: of the types, if the NodeClaim
// asks for them.
json_t *launch_template_interfaces(const struct ec2_node_class *node_class,
                                   const struct cluster_facts *cluster, int64_t efa_interfaces);
// AWN-345, 708: by the address of the cluster's DNS, else by its range of Services.
bool cluster_is_ipv6(const struct cluster_facts *cluster);
