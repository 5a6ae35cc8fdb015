#include "cloud/aws/families/block_devices.h"

#include <assert.h>

#include "base/quantity.h"
#include "base/text.h"
#include "cloud/aws/families/ami_family.h"

#define GIB (INT64_C(1) << 30)

static json_t *default_devices(const struct ami_family_facts *facts)
{
    json_t *list = json_array();
    for (size_t i = 0; i < ARRAY_LENGTH(facts->devices); i++) {
        const struct ami_family_device *device = &facts->devices[i];
        if (device->name == NULL)
            continue;
        json_array_append_new(list, json_pack("{s:s, s:{s:b, s:I, s:s}}", "DeviceName",
                                              device->name, "Ebs", "Encrypted", 1, "VolumeSize",
                                              (json_int_t)(device->size_bytes / GIB), "VolumeType",
                                              "gp3"));
    }
    if (json_array_size(list) > 0)
        return list;
    json_decref(list);
    return NULL;
}

static void set_text(json_t *object, const char *key, const char *text)
{
    if (!text_is_empty(text))
        json_object_set_new(object, key, json_string(text));
}

static void set_flag(json_t *object, const char *key, struct optional_bool flag)
{
    if (flag.present)
        json_object_set_new(object, key, json_boolean(flag.value));
}

// Whole GiB, rounded up: 20G is 19. 0: no size.
static int64_t volume_gib(const struct ec2_block_device *ebs)
{
    int64_t bytes;
    if (ebs->volume_size == NULL || !quantity_parse_scaled(ebs->volume_size, 0, &bytes, NULL) ||
        bytes <= 0)
        return 0;
    return (bytes - 1) / GIB + 1;
}

static json_t *ebs_json(const struct ec2_block_device *ebs)
{
    json_t *object = json_object();
    int64_t gib = volume_gib(ebs);
    set_flag(object, "DeleteOnTermination", ebs->delete_on_termination);
    set_flag(object, "Encrypted", ebs->encrypted);
    if (ebs->iops.present && ebs->iops.value != 0)
        json_object_set_new(object, "Iops", json_integer(ebs->iops.value));
    set_text(object, "KmsKeyId", ebs->kms_key_id);
    set_text(object, "SnapshotId", ebs->snapshot_id);
    if (ebs->throughput.present && ebs->throughput.value != 0)
        json_object_set_new(object, "Throughput", json_integer(ebs->throughput.value));
    if (ebs->volume_initialization_rate.present)
        json_object_set_new(object, "VolumeInitializationRate",
                            json_integer(ebs->volume_initialization_rate.value));
    if (gib > 0)
        json_object_set_new(object, "VolumeSize", json_integer(gib));
    set_text(object, "VolumeType", ebs->volume_type);
    return object;
}

json_t *block_devices_json(const struct ec2_node_class *node_class)
{
    assert(node_class != NULL);
    if (node_class->spec.block_device_mappings.count == 0)
        return default_devices(ami_family_facts(ami_family_of(node_class)));
    json_t *list = json_array();
    list_for_each (mapping, &node_class->spec.block_device_mappings) {
        if (mapping->ebs == NULL || text_is_empty(mapping->device_name))
            continue;
        json_t *item = json_pack("{s:s}", "DeviceName", mapping->device_name);
        json_object_set_new(item, "Ebs", ebs_json(mapping->ebs));
        json_array_append_new(list, item);
    }
    if (json_array_size(list) > 0)
        return list;
    json_decref(list);
    return NULL;
}

bool block_devices_check(const struct ec2_node_class *node_class, struct error *error)
{
    assert(node_class != NULL);
    for (uint32_t i = 0; i < node_class->spec.block_device_mappings.count; i++) {
        const struct ec2_block_device_mapping *mapping =
            &node_class->spec.block_device_mappings.items[i];
        if (text_is_empty(mapping->device_name))
            return error_set(error, ERROR_INVALID,
                             "spec.blockDeviceMappings[%u] has no deviceName: name the device, for "
                             "example /dev/xvda",
                             i);
        if (mapping->ebs == NULL)
            return error_set(error, ERROR_INVALID,
                             "spec.blockDeviceMappings[%u] (%.200s) has no ebs: say the volume's "
                             "size and type there, or remove the mapping",
                             i, mapping->device_name);
    }
    return true;
}
