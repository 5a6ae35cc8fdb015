// The Node that an instance's kubelet registers, of the facts of its type and its user data.
#pragma once

#include "base/memory.h"
#include "sim/world/world_options.h"

struct aws_instance;

// The labels and taints that its kubelet registers with, from the user data of any family; facts of
// its type as a real node reports them.
bool aws_instance_boot(const struct aws_instance *instance, struct arena *arena,
                       struct machine_boot *boot);
