// The controllers that look at an instance after its launch: tags with the names of its Node and
// NodeClaim (nodeclaim.tagging, AWN-465, 466), and the partition of a placement group as a label
// of the NodeClaim (AWN-153).
#pragma once

#include "cloud/aws/controllers/aws_controllers_environment.h"

struct instance_tagging;
struct instance_tagging *instance_tagging_create(
    struct manager *manager, const struct aws_controllers_environment *environment);
void instance_tagging_destroy(struct instance_tagging *tagging); // NULL is fine
