// All that user data is made of.
#pragma once

#include "cloud/aws/families/cluster_facts.h"
#include "cloud/aws/families/kubelet_config.h"
#include "model/schema/karpenter.h"

struct user_data_options {
    const struct ec2_node_class *node_class; // family, userData, instanceStorePolicy
    const struct cluster_facts *cluster;
    const struct kubelet_config *kubelet; // as given
    const struct kubelet_values *values;  // resolved for the template's types; NULL: as given
    int64_t max_pods;                     // of the template (AWN-236)
    // AWN-238: the NodeClaim's labels and capacity type; this function filters and adds to them.
    struct string_map labels;
    const char *capacity_type;
    const taint_list *taints, *startup_taints; // AWN-239; NULL: none
    // Renders as upstream does where that spoils the user's part (AWN-709, 712, 723, and an
    // unreadable clusterDNS of AWN-708).
    bool compatibility_upstream;
};
