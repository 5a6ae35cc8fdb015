// The user data of a launch template, by AMI family (AWN-236 to 239, 270 to 316). Text, before
// base64.
#pragma once

#include "cloud/aws/families/cluster_facts.h"
#include "cloud/aws/families/kubelet_config.h"
#include "model/schema/karpenter.h"

struct user_data_options {
    const struct ec2_node_class *node_class; // family, userData, instanceStorePolicy
    const struct cluster_facts *cluster;
    const struct kubelet_config *kubelet; // as given
    const struct kubelet_values *values;  // resolved for the template's types
    int64_t max_pods;                     // of the template (AWN-236)
    // AWN-238: the NodeClaim's labels and capacity type; this function filters and adds to them.
    struct string_map labels;
    const char *capacity_type;
    const taint_list *taints, *startup_taints; // AWN-239
};
// In arena memory. Errors: malformed MIME or TOML (AWN-276, 295), no cluster CIDR (AWN-288,
// ERROR_NODE_CLASS_NOT_READY).
const char *user_data_render(const struct user_data_options *options, struct arena *arena,
                             struct error *error) MUST_USE;
