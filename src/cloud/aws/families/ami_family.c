#include "cloud/aws/families/ami_family.h"

#include <assert.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"

#define GIB (INT64_C(1) << 30)
#define GB  INT64_C(1000000000)

#define EPHEMERAL_DEFAULT_BYTES (20 * GIB)

static const struct ami_family_facts families[] = {
    [AMI_FAMILY_AL2] =
        {
            .name = "AL2",
            .alias = "al2",
            .eni_limited_memory_overhead = true,
            .pods_per_core = true,
            .eni_limited_pods = true,
            .devices = {{"/dev/xvda", 20 * GIB}},
            .ephemeral_device = "/dev/xvda",
        },
    [AMI_FAMILY_AL2023] =
        {
            .name = "AL2023",
            .alias = "al2023",
            .eni_limited_memory_overhead = true,
            .pods_per_core = true,
            .eni_limited_pods = true,
            .any_kubelet_field = true,
            .devices = {{"/dev/xvda", 20 * GIB}},
            .ephemeral_device = "/dev/xvda",
        },
    [AMI_FAMILY_BOTTLEROCKET] =
        {
            .name = "Bottlerocket",
            .alias = "bottlerocket",
            .eni_limited_pods = true,
            .devices = {{"/dev/xvda", 4 * GIB}, {"/dev/xvdb", 20 * GIB}},
            .ephemeral_device = "/dev/xvdb",
        },
    [AMI_FAMILY_WINDOWS_2019] =
        {
            .name = "Windows2019",
            .alias = "windows2019",
            .pods_per_core = true,
            .windows = true,
            .windows_build = "10.0.17763",
            .devices = {{"/dev/sda1", 50 * GIB}},
            .ephemeral_device = "/dev/sda1",
        },
    [AMI_FAMILY_WINDOWS_2022] =
        {
            .name = "Windows2022",
            .alias = "windows2022",
            .pods_per_core = true,
            .windows = true,
            .windows_build = "10.0.20348",
            .devices = {{"/dev/sda1", 50 * GIB}},
            .ephemeral_device = "/dev/sda1",
        },
    [AMI_FAMILY_WINDOWS_2025] =
        {
            .name = "Windows2025",
            .alias = "windows2025",
            .pods_per_core = true,
            .windows = true,
            .windows_build = "10.0.26100",
            .devices = {{"/dev/sda1", 50 * GIB}},
            .ephemeral_device = "/dev/sda1",
        },
    [AMI_FAMILY_CUSTOM] =
        {
            .name = "Custom",
            .eni_limited_memory_overhead = true,
            .pods_per_core = true,
            .eni_limited_pods = true,
            .any_kubelet_field = true,
        },
};
static_assert(ARRAY_LENGTH(families) == AMI_FAMILY_COUNT, "facts of every family");

const struct ami_family_facts *ami_family_facts(enum ami_family family)
{
    assert(family < AMI_FAMILY_COUNT);
    return &families[family];
}

enum ami_family ami_family_of(const struct ec2_node_class *node_class)
{
    assert(node_class != NULL);
    const char *name = node_class->spec.ami_family;
    if (!text_is_empty(name)) {
        for (enum ami_family family = 0; family < AMI_FAMILY_COUNT; family++)
            if (strcmp(families[family].name, name) == 0)
                return family;
        return AMI_FAMILY_AL2;
    }
    struct ami_alias alias;
    return ami_alias_of(node_class, &alias) ? alias.family : AMI_FAMILY_CUSTOM;
}

bool ami_alias_of(const struct ec2_node_class *node_class, struct ami_alias *alias)
{
    assert(node_class != NULL && alias != NULL);
    list_for_each (term, &node_class->spec.ami_selector_terms) {
        const char *at = term->alias != NULL ? strchr(term->alias, '@') : NULL;
        if (at == NULL)
            continue;
        size_t length = (size_t)(at - term->alias);
        for (enum ami_family family = 0; family < AMI_FAMILY_COUNT; family++) {
            const char *name = families[family].alias;
            if (name == NULL || strlen(name) != length || strncmp(name, term->alias, length) != 0)
                continue;
            *alias = (struct ami_alias){family, at + 1};
            return true;
        }
    }
    return false;
}

// --- ephemeral storage ---------------------------------------------------------------------------
// Bytes of a mapping's volume; 0: not sized. Admission has checked the quantity.
static int64_t volume_bytes(const struct ec2_block_device_mapping *mapping)
{
    int64_t bytes;
    if (mapping->ebs == NULL || mapping->ebs->volume_size == NULL ||
        !quantity_parse_scaled(mapping->ebs->volume_size, 0, &bytes, NULL))
        return 0;
    return bytes > 0 ? bytes : 0;
}

static int64_t default_bytes(const struct ami_family_facts *facts)
{
    for (size_t i = 0; i < ARRAY_LENGTH(facts->devices); i++)
        if (facts->devices[i].name != NULL &&
            text_equal(facts->devices[i].name, facts->ephemeral_device))
            return facts->devices[i].size_bytes;
    return EPHEMERAL_DEFAULT_BYTES;
}

int64_t ami_family_ephemeral_bytes(const struct ec2_node_class *node_class,
                                   int64_t instance_store_gb)
{
    const struct ami_family_facts *facts = ami_family_facts(ami_family_of(node_class));
    if (text_equal(node_class->spec.instance_store_policy, "RAID0") && instance_store_gb > 0)
        return quantity_multiply(instance_store_gb, GB);
    list_for_each (mapping, &node_class->spec.block_device_mappings) {
        int64_t bytes = mapping->root_volume ? volume_bytes(mapping) : 0;
        if (bytes > 0)
            return bytes;
    }
    uint32_t count = node_class->spec.block_device_mappings.count;
    if (facts->ephemeral_device == NULL) { // Custom: the last one, as its name is not known
        int64_t bytes =
            count > 0 ? volume_bytes(&node_class->spec.block_device_mappings.items[count - 1]) : 0;
        return bytes > 0 ? bytes : EPHEMERAL_DEFAULT_BYTES;
    }
    list_for_each (mapping, &node_class->spec.block_device_mappings) {
        int64_t bytes =
            text_equal(mapping->device_name, facts->ephemeral_device) ? volume_bytes(mapping) : 0;
        if (bytes > 0)
            return bytes;
    }
    return default_bytes(facts);
}
