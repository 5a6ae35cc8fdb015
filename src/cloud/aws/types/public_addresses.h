// Whether the nodes of an EC2NodeClass get public IPv4 addresses: by its associatePublicIPAddress,
// else by its subnets (AWN-1), of which the controller notes it in an annotation of the class.
#pragma once

#include "model/schema/ec2_node_class.h"

enum public_addresses {
    PUBLIC_ADDRESSES_UNKNOWN, // no annotation: count none
    PUBLIC_ADDRESSES_NONE,
    PUBLIC_ADDRESSES_SOME, // by subnet: count one for each node
    PUBLIC_ADDRESSES_ALL,
};
enum public_addresses public_addresses_of(const struct ec2_node_class *node_class);
