// Tags of Auto Scaling groups that Cluster Autoscaler reads (MIG-83).
#pragma once

#include "cli/autoscaler/group.h"

void group_tags_convert(struct group *group, const json_t *tags, const struct flags *flags);
