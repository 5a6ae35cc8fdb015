#include "cloud/aws/families/user_data.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "cloud/aws/families/bootstrap_script.h"
#include "cloud/aws/families/bottlerocket.h"
#include "cloud/aws/families/mime.h"
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

// --- warnings ------------------------------------------------------------------------------------

// Text of another family's form: it reaches the machine, which cannot use it. NULL: none.
static const char *unfit_form(const struct ami_family_facts *facts, const char *text)
{
    text += strspn(text, " \t\r\n");
    bool is_script = text_starts_with(text, "#!"), is_message = mime_is_message(text);
    if (facts->windows)
        return is_script || is_message
                   ? "spec.userData: Windows runs PowerShell, not shell scripts or MIME parts"
                   : NULL;
    if (strncasecmp(text, "<powershell", strlen("<powershell")) == 0)
        return "spec.userData: Linux does not run PowerShell";
    if (is_script || is_message || *text == '\0')
        return NULL;
    if (strcmp(facts->name, "AL2023") == 0)
        return node_config_is_given(text) ? NULL
                                          : "spec.userData: it is no NodeConfig (YAML), and no "
                                            "script, as it does not begin with #!";
    return "spec.userData: it does not begin with #!, so that cloud-init cannot run it";
}

struct string_list user_data_warnings(const struct ec2_node_class *node_class, struct arena *arena)
{
    assert(node_class != NULL && arena != NULL);
    enum ami_family family = ami_family_of(node_class);
    if (family == AMI_FAMILY_BOTTLEROCKET)
        return bottlerocket_warnings(node_class, arena);
    struct string_list list = {0};
    const char *unfit =
        family != AMI_FAMILY_CUSTOM
            ? unfit_form(ami_family_facts(family), text_or_empty(node_class->spec.user_data))
            : NULL;
    if (unfit != NULL) {
        list.items = arena_allocate_array(arena, 1, sizeof *list.items);
        list.items[list.count++] = unfit;
    }
    return list;
}
