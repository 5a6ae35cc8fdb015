#include "cloud/aws/families/user_data.h"

#include <assert.h>

#include "base/text.h"
#include "cloud/aws/families/bootstrap_script.h"
#include "cloud/aws/families/bottlerocket.h"
#include "cloud/aws/families/node_config.h"
#include "cloud/aws/families/node_registration.h"
#include "cloud/aws/families/powershell.h"

const char *user_data_render(const struct user_data_options *options, struct arena *arena,
                             struct error *error)
{
    assert(options != NULL && options->node_class != NULL && options->cluster != NULL);
    struct node_registration registration;
    node_registration_of(&registration, options, arena);
    switch (ami_family_of(options->node_class)) {
    case AMI_FAMILY_AL2023:
        return node_config_render(options, &registration, arena, error);
    case AMI_FAMILY_BOTTLEROCKET:
        return bottlerocket_render(options, &registration, arena, error);
    case AMI_FAMILY_WINDOWS_2019:
    case AMI_FAMILY_WINDOWS_2022:
    case AMI_FAMILY_WINDOWS_2025:
        return powershell_render(options, &registration, arena);
    case AMI_FAMILY_CUSTOM:
        return arena_copy_string(arena, text_or_empty(options->node_class->spec.user_data));
    case AMI_FAMILY_AL2:
    case AMI_FAMILY_COUNT:
        break;
    }
    return bootstrap_script_render(options, &registration, arena, error);
}

struct string_list user_data_warnings(const struct ec2_node_class *node_class, struct arena *arena)
{
    assert(node_class != NULL && arena != NULL);
    if (ami_family_of(node_class) == AMI_FAMILY_BOTTLEROCKET)
        return bottlerocket_warnings(node_class, arena);
    return (struct string_list){0};
}
