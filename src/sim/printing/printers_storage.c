#include "sim/printing/printers_storage.h"

#include <string.h>

#include "base/memory.h"
#include "sim/store/store_internal.h"

PATH_CELL(phase, "status.phase", "")
PATH_CELL(claim_volume, "spec.volumeName", "")
PATH_CELL(claim_capacity, "status.capacity.storage", "")
PATH_CELL(storage_class, "spec.storageClassName", "")
PATH_CELL(attributes_class, "spec.volumeAttributesClassName", "<unset>")
PATH_CELL(volume_mode, "spec.volumeMode", "<unset>")
PATH_CELL(volume_capacity, "spec.capacity.storage", "")
PATH_CELL(volume_policy, "spec.persistentVolumeReclaimPolicy", "")
PATH_CELL(volume_reason, "status.reason", "")
PATH_CELL(class_provisioner, "provisioner", "")
PATH_CELL(class_policy, "reclaimPolicy", "Delete")
PATH_CELL(class_binding, "volumeBindingMode", "Immediate")

static json_t *access_modes(const json_t *object, const char *path)
{
    static const struct {
        const char *mode, *text;
    } modes[] = {{"ReadWriteOnce", "RWO"},
                 {"ReadOnlyMany", "ROX"},
                 {"ReadWriteMany", "RWX"},
                 {"ReadWriteOncePod", "RWOP"}};
    struct text text = {0};
    size_t i;
    json_t *mode;
    json_array_foreach (store_path(object, path), i, mode) {
        for (size_t m = 0; json_is_string(mode) && m < ARRAY_LENGTH(modes); m++)
            if (strcmp(json_string_value(mode), modes[m].mode) == 0)
                text_join(&text, ",", modes[m].text);
    }
    return cell_take_text(&text, "");
}

static json_t *claim_modes(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return access_modes(object, "status.accessModes");
}

static json_t *volume_modes(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return access_modes(object, "spec.accessModes");
}

static json_t *volume_claim(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    const char *name = cell_text(object, "spec.claimRef.name");
    const char *namespace = cell_text(object, "spec.claimRef.namespace");
    return name != NULL ? json_sprintf("%s/%s", namespace != NULL ? namespace : "", name)
                        : json_string("");
}

static json_t *class_name(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    const json_t *annotations = store_path(object, "metadata.annotations");
    const char *mark = string_at(annotations, "storageclass.kubernetes.io/is-default-class");
    bool is_default = mark != NULL && strcmp(mark, "true") == 0;
    return json_sprintf("%s%s", store_name(object), is_default ? " (default)" : "");
}

static json_t *class_expansion(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return json_boolean(json_is_true(store_path(object, "allowVolumeExpansion")));
}

static json_t *csi_drivers(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return json_integer((json_int_t)json_array_size(store_path(object, "spec.drivers")));
}

static json_t *attachment_status(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return json_boolean(json_is_true(store_path(object, "status.attached")));
}

PATH_CELL(attachment_driver, "spec.attacher", "")
PATH_CELL(attachment_volume, "spec.source.persistentVolumeName", "<none>")
PATH_CELL(attachment_node, "spec.nodeName", "")

const struct printer printers_claims[] = {NAME,
                                          {"Status", "string", 0, phase},
                                          {"Volume", "string", 0, claim_volume},
                                          {"Capacity", "string", 0, claim_capacity},
                                          {"Access Modes", "string", 0, claim_modes},
                                          {"StorageClass", "string", 0, storage_class},
                                          {"VolumeAttributesClass", "string", 0, attributes_class},
                                          AGE,
                                          {"VolumeMode", "string", 1, volume_mode},
                                          THE_END};

const struct printer printers_volumes[] = {NAME,
                                           {"Capacity", "string", 0, volume_capacity},
                                           {"Access Modes", "string", 0, volume_modes},
                                           {"Reclaim Policy", "string", 0, volume_policy},
                                           {"Status", "string", 0, phase},
                                           {"Claim", "string", 0, volume_claim},
                                           {"StorageClass", "string", 0, storage_class},
                                           {"VolumeAttributesClass", "string", 0, attributes_class},
                                           {"Reason", "string", 0, volume_reason},
                                           AGE,
                                           {"VolumeMode", "string", 1, volume_mode},
                                           THE_END};

const struct printer printers_storage_classes[] = {
    {"Name", "string", 0, class_name},
    {"Provisioner", "string", 0, class_provisioner},
    {"ReclaimPolicy", "string", 0, class_policy},
    {"VolumeBindingMode", "string", 0, class_binding},
    {"AllowVolumeExpansion", "string", 0, class_expansion},
    AGE,
    THE_END};

const struct printer printers_csi_nodes[] = {
    NAME, {"Drivers", "integer", 0, csi_drivers}, AGE, THE_END};

const struct printer printers_attachments[] = {NAME,
                                               {"Attacher", "string", 0, attachment_driver},
                                               {"PV", "string", 0, attachment_volume},
                                               {"Node", "string", 0, attachment_node},
                                               {"Attached", "boolean", 0, attachment_status},
                                               AGE,
                                               THE_END};
