// Managed node groups of EKS, as `aws eks describe-nodegroup` prints them and as eksctl's
// ClusterConfig has them (MIG-87).
#pragma once

#include "cli/autoscaler/scaling_group.h"

void node_group_convert(struct group *group, const json_t *description,
                        const struct launch_facts *facts, const struct flags *flags);
// `cluster`: the ClusterConfig that the group is part of.
void eksctl_group_convert(struct group *group, const json_t *description, const json_t *cluster,
                          const struct flags *flags);
