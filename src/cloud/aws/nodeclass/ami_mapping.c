#include "cloud/aws/nodeclass/ami_mapping.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "model/reading/requirement_match.h"

static bool is_device_count(const char *key)
{
    return text_ends_with(key, "/instance-gpu-count") ||
           text_ends_with(key, "/instance-accelerator-count");
}

// A type says nothing about a key that it leaves open, such as another family's Windows build; a
// type without devices has none.
static bool type_meets(const struct instance_type *type, const char *key,
                       const requirement_list *wanted)
{
    bool found = false;
    list_for_each (offered, &type->requirements) {
        if (strcmp(offered->key, key) != 0)
            continue;
        found = true;
        if (!requirement_meets(offered, wanted))
            return false;
    }
    return found || !is_device_count(key) || requirements_allow(wanted, key, NULL);
}

const struct ec2_ami *ami_for_type(const struct ec2_node_class *node_class,
                                   const struct instance_type *type)
{
    assert(node_class != NULL);
    assert(type != NULL);
    list_for_each (ami, &node_class->status.amis) {
        bool meets = true;
        list_for_each (requirement, &ami->requirements)
            meets = meets && type_meets(type, requirement->key, &ami->requirements);
        if (meets)
            return ami;
    }
    return NULL;
}

const struct ec2_ami *ami_for_labels(const struct ec2_node_class *node_class,
                                     const struct string_map *labels)
{
    assert(node_class != NULL);
    assert(labels != NULL);
    list_for_each (ami, &node_class->status.amis) {
        bool meets = true;
        list_for_each (requirement, &ami->requirements)
            meets =
                meets && requirement_allows(requirement, string_map_get(labels, requirement->key));
        if (meets)
            return ami;
    }
    return NULL;
}
