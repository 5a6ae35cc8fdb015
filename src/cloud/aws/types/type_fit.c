#include "cloud/aws/types/type_fit.h"

#include <string.h>

#include "base/text.h"
#include "cloud/aws/families/ami_family.h"

static bool interfaces_fit(const struct instance_info *info,
                           const struct ec2_node_class *node_class)
{
    int64_t devices[NETWORK_CARDS_MAX] = {0}, efa_only = 0;
    if (node_class->spec.network_interfaces.count > 0 && !info->ena)
        return false;
    list_for_each (interface, &node_class->spec.network_interfaces) {
        int64_t card = interface->network_card_index;
        if (card < 0 || card >= info->cards_count)
            return false;
        if (++devices[card] > info->card_interfaces[card])
            return false;
        efa_only += text_equal(interface->interface_type, "efa-only");
    }
    return efa_only <= info->efa_interfaces;
}

bool ec2_type_fits_class(const struct instance_info *info, const struct ec2_node_class *node_class,
                         const struct placement_group *group)
{
    if (ami_family_of(node_class) == AMI_FAMILY_AL2023 && text_starts_with(info->name, "a1."))
        return false;
    if (!interfaces_fit(info, node_class))
        return false;
    const struct ec2_cpu_options *cpu = node_class->spec.cpu_options;
    if (cpu != NULL && text_equal(cpu->nested_virtualization, "enabled") &&
        !string_list_has(&info->processor_features, "nested-virtualization"))
        return false;
    if (group != NULL && group->strategy != NULL &&
        !string_list_has(&info->placement_strategies, group->strategy))
        return false;
    return node_class->spec.connection_tracking == NULL || strcmp(info->hypervisor, "nitro") == 0;
}
