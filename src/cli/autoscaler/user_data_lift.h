// User data of a launch template: the part that joins the cluster is taken out, since the
// controller adds its own, and its meaning is lifted into labels, taints and kubelet settings
// (MIG-91).
#pragma once

#include "cli/autoscaler/group.h"

// `text`: plain. Sets amiFamily's word in *family (MIG-89) and what is left as spec.userData.
void user_data_lift(struct group *group, const char *text, const struct flags *flags,
                    const char **family);
