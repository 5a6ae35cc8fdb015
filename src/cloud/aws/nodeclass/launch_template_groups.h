// The split of a launch's instance types into launch templates (AWN-340).
#pragma once

#include "base/vector.h"
#include "cloud/aws/families/kubelet_config.h"
#include "cloud/aws/nodeclass/launch_template_request.h"
#include "cloud/aws/types/instance_info.h"
#include "model/reading/settings.h"

// The types of one template, and what they share.
struct launch_template_group {
    const struct ec2_ami *ami;
    int64_t max_pods; // of the kubelet (AWN-236)
    int64_t efa_interfaces;
    struct kubelet_values values;
    const char *reservation_id, *reservation_type; // NULL: not reserved
    bool interruptible;
    VECTOR(const struct instance_type *) types; // released with launch_template_groups_free()
};
struct launch_template_groups {
    struct launch_template_group *items;
    uint32_t count, capacity;
};

struct launch_template_split {
    const struct settings *settings;
    const struct instance_infos *infos; // NULL: none
    const struct kubelet_config *kubelet;
};
// Groups in the order of their first type; types that no image of the NodeClass fits are left out.
// An error if none is left (AWN-176, 364), or if the kubelet's values cannot be resolved. Texts are
// in arena memory.
bool launch_template_groups_make(struct launch_template_groups *groups, struct arena *arena,
                                 const struct launch_template_request *request,
                                 const struct launch_template_split *split,
                                 struct error *error) MUST_USE;
void launch_template_groups_free(struct launch_template_groups *groups);
// AWN-233: what expressions see of a type.
struct kubelet_variables kubelet_variables_of(const struct ec2_node_class *node_class,
                                              const struct instance_info *info);
