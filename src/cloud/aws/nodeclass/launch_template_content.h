// The content of a launch template (AWN-342 to 353) and its name (AWN-341).
#pragma once

#include "cloud/aws/nodeclass/launch_template_groups.h"

struct launch_template_content {
    const char *name;         // "karpenter.k8s.aws/<number>"; arena memory
    json_t *parameters;       // of CreateLaunchTemplate; the caller releases
    uint32_t user_data_bytes; // before base64
};
struct launch_template_input {
    const struct launch_template_request *request;
    const struct launch_template_group *group;
    const struct kubelet_config *kubelet;
    const struct cluster_facts *cluster;
    const struct settings *settings;
};
bool launch_template_content_make(struct launch_template_content *content, struct arena *arena,
                                  const struct launch_template_input *input,
                                  struct error *error) MUST_USE;
