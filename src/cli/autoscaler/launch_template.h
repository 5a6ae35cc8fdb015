// Launch templates and launch configurations to the class of a group (MIG-89).
#pragma once

#include "cli/autoscaler/group.h"

// The data of the version that a group names, among `versions` (of
// describe-launch-template-versions); NULL: it is not in the input.
const json_t *launch_template_find(const json_t *versions, const json_t *specification);
void launch_template_convert(struct group *group, const json_t *data, const struct flags *flags);
// Todos for a template that is not in the input.
void launch_template_missing(struct group *group, const json_t *specification);
