#include "model/tables/kinds.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "model/schema/decode.h"
#include "model/schema/ec2_node_class.h"
#include "model/schema/karpenter.h"
#include "model/schema/tables.h"

#define BUILT_IN(identifier, group_name, version_name, api, kind_name, plural_name, singular_name, \
                 is_namespaced, table, ...)                                                        \
    [identifier] = {.id = identifier,                                                              \
                    .group = group_name,                                                           \
                    .version = version_name,                                                       \
                    .api_version = api,                                                            \
                    .name = kind_name,                                                             \
                    .plural = plural_name,                                                         \
                    .singular = singular_name,                                                     \
                    .namespaced = is_namespaced,                                                   \
                    .type = &table,                                                                \
                    __VA_ARGS__}
#define CUSTOM(identifier, group_name, version_name, kind_name, plural_name, singular_name, \
               is_namespaced, table, facts, ...)                                            \
    [identifier] = {.id = identifier,                                                       \
                    .group = group_name,                                                    \
                    .version = version_name,                                                \
                    .api_version = group_name "/" version_name,                             \
                    .name = kind_name,                                                      \
                    .plural = plural_name,                                                  \
                    .singular = singular_name,                                              \
                    .namespaced = is_namespaced,                                            \
                    .custom = true,                                                         \
                    .type = &table,                                                         \
                    .custom_facts = &facts,                                                 \
                    __VA_ARGS__}

#define CONDITIONS_OF(name) .conditions = offsetof(struct name, status.conditions)

static const struct kind kinds[KIND_COUNT] = {
    BUILT_IN(KIND_POD, "", "v1", "v1", "Pod", "pods", "pod", true, type_pod),
    BUILT_IN(KIND_NODE, "", "v1", "v1", "Node", "nodes", "node", false, type_node,
             CONDITIONS_OF(node)),
    BUILT_IN(KIND_NAMESPACE, "", "v1", "v1", "Namespace", "namespaces", "namespace", false,
             type_namespace),
    BUILT_IN(KIND_LIMIT_RANGE, "", "v1", "v1", "LimitRange", "limitranges", "limitrange", true,
             type_limit_range),
    BUILT_IN(KIND_DAEMON_SET, "apps", "v1", "apps/v1", "DaemonSet", "daemonsets", "daemonset", true,
             type_daemon_set),
    BUILT_IN(KIND_REPLICA_SET, "apps", "v1", "apps/v1", "ReplicaSet", "replicasets", "replicaset",
             true, type_replica_set),
    BUILT_IN(KIND_DEPLOYMENT, "apps", "v1", "apps/v1", "Deployment", "deployments", "deployment",
             true, type_deployment),
    BUILT_IN(KIND_STATEFUL_SET, "apps", "v1", "apps/v1", "StatefulSet", "statefulsets",
             "statefulset", true, type_stateful_set),
    BUILT_IN(KIND_JOB, "batch", "v1", "batch/v1", "Job", "jobs", "job", true, type_job),
    BUILT_IN(KIND_POD_DISRUPTION_BUDGET, "policy", "v1", "policy/v1", "PodDisruptionBudget",
             "poddisruptionbudgets", "poddisruptionbudget", true, type_pod_disruption_budget),
    BUILT_IN(KIND_PRIORITY_CLASS, "scheduling.k8s.io", "v1", "scheduling.k8s.io/v1",
             "PriorityClass", "priorityclasses", "priorityclass", false, type_priority_class),
    BUILT_IN(KIND_PERSISTENT_VOLUME_CLAIM, "", "v1", "v1", "PersistentVolumeClaim",
             "persistentvolumeclaims", "persistentvolumeclaim", true, type_persistent_volume_claim),
    BUILT_IN(KIND_PERSISTENT_VOLUME, "", "v1", "v1", "PersistentVolume", "persistentvolumes",
             "persistentvolume", false, type_persistent_volume),
    BUILT_IN(KIND_STORAGE_CLASS, "storage.k8s.io", "v1", "storage.k8s.io/v1", "StorageClass",
             "storageclasses", "storageclass", false, type_storage_class),
    BUILT_IN(KIND_CSI_NODE, "storage.k8s.io", "v1", "storage.k8s.io/v1", "CSINode", "csinodes",
             "csinode", false, type_csi_node),
    BUILT_IN(KIND_VOLUME_ATTACHMENT, "storage.k8s.io", "v1", "storage.k8s.io/v1",
             "VolumeAttachment", "volumeattachments", "volumeattachment", false,
             type_volume_attachment),
    BUILT_IN(KIND_LEASE, "coordination.k8s.io", "v1", "coordination.k8s.io/v1", "Lease", "leases",
             "lease", true, type_lease),
    BUILT_IN(KIND_EVENT, "", "v1", "v1", "Event", "events", "event", true, type_event),
    BUILT_IN(KIND_SERVICE, "", "v1", "v1", "Service", "services", "service", true, type_service),
    BUILT_IN(KIND_REPLICATION_CONTROLLER, "", "v1", "v1", "ReplicationController",
             "replicationcontrollers", "replicationcontroller", true, type_replication_controller),
    BUILT_IN(KIND_POD_TEMPLATE, "", "v1", "v1", "PodTemplate", "podtemplates", "podtemplate", true,
             type_pod_template),
    BUILT_IN(KIND_RESOURCE_CLAIM, "resource.k8s.io", "v1", "resource.k8s.io/v1", "ResourceClaim",
             "resourceclaims", "resourceclaim", true, type_resource_claim),
    BUILT_IN(KIND_RESOURCE_CLAIM_TEMPLATE, "resource.k8s.io", "v1", "resource.k8s.io/v1",
             "ResourceClaimTemplate", "resourceclaimtemplates", "resourceclaimtemplate", true,
             type_resource_claim_template),
    BUILT_IN(KIND_DEVICE_CLASS, "resource.k8s.io", "v1", "resource.k8s.io/v1", "DeviceClass",
             "deviceclasses", "deviceclass", false, type_device_class),
    BUILT_IN(KIND_RESOURCE_SLICE, "resource.k8s.io", "v1", "resource.k8s.io/v1", "ResourceSlice",
             "resourceslices", "resourceslice", false, type_resource_slice),
    CUSTOM(KIND_NODE_POOL, "karpenter.sh", "v1", "NodePool", "nodepools", "nodepool", false,
           type_node_pool, custom_node_pool, CONDITIONS_OF(node_pool)),
    CUSTOM(KIND_NODE_CLAIM, "karpenter.sh", "v1", "NodeClaim", "nodeclaims", "nodeclaim", false,
           type_node_claim, custom_node_claim, CONDITIONS_OF(node_claim)),
    CUSTOM(KIND_NODE_OVERLAY, "karpenter.sh", "v1alpha1", "NodeOverlay", "nodeoverlays",
           "nodeoverlay", false, type_node_overlay, custom_node_overlay,
           CONDITIONS_OF(node_overlay)),
    CUSTOM(KIND_CAPACITY_BUFFER, "autoscaling.x-k8s.io", "v1beta1", "CapacityBuffer",
           "capacitybuffers", "capacitybuffer", true, type_capacity_buffer, custom_capacity_buffer,
           CONDITIONS_OF(capacity_buffer)),
    CUSTOM(KIND_EC2_NODE_CLASS, "karpenter.k8s.aws", "v1", "EC2NodeClass", "ec2nodeclasses",
           "ec2nodeclass", false, type_ec2_node_class, custom_ec2_node_class,
           CONDITIONS_OF(ec2_node_class)),
    CUSTOM(KIND_KWOK_NODE_CLASS, "karpenter.kwok.sh", "v1alpha1", "KWOKNodeClass",
           "kwoknodeclasses", "kwoknodeclass", false, type_kwok_node_class, custom_kwok_node_class,
           CONDITIONS_OF(kwok_node_class)),
    BUILT_IN(KIND_INSTANCE_TYPE_CATALOG, "adze", "v1", "adze/v1", "InstanceTypeCatalog",
             "instancetypecatalogs", "instancetypecatalog", false, type_instance_type_catalog),
    BUILT_IN(KIND_SNAPSHOT_CONTEXT, "adze", "v1", "adze/v1", "SnapshotContext", "snapshotcontexts",
             "snapshotcontext", false, type_snapshot_context),
};

const struct kind *kind_get(enum kind_id id)
{
    assert(kinds[id].id == id);
    assert(id < KIND_COUNT);
    return &kinds[id];
}

const condition_list *object_conditions(const struct object *object)
{
    assert(object->kind != NULL);
    static const condition_list none = {0};
    return object->kind->conditions != 0
               ? (const condition_list *)((const char *)object + object->kind->conditions)
               : &none;
}

// "GROUP/VERSION" of an older version, served beside the stored one.
static bool has_older_version(const struct kind *kind, const char *api_version)
{
    const char *older = kind->custom_facts != NULL ? kind->custom_facts->older_version : NULL;
    size_t length = strlen(kind->group);
    return older != NULL && strncmp(api_version, kind->group, length) == 0 &&
           api_version[length] == '/' && strcmp(api_version + length + 1, older) == 0;
}

const struct kind *kind_find(const char *api_version, const char *name)
{
    assert(api_version != NULL);
    assert(name != NULL);
    for (const struct kind *kind = kinds; kind < kinds + KIND_COUNT; kind++)
        if (strcmp(kind->name, name) == 0 &&
            (strcmp(kind->api_version, api_version) == 0 || has_older_version(kind, api_version)))
            return kind;
    return NULL;
}

bool kind_is_custom(const char *name)
{
    assert(name != NULL);
    for (const struct kind *kind = kinds; kind < kinds + KIND_COUNT; kind++)
        if (kind->custom && strcmp(kind->name, name) == 0)
            return true;
    return false;
}

const struct kind *kind_find_plural(const char *group, const char *version, const char *plural)
{
    for (const struct kind *kind = kinds; kind < kinds + KIND_COUNT; kind++)
        if (strcmp(kind->plural, plural) == 0 && strcmp(kind->group, group) == 0 &&
            strcmp(kind->version, version) == 0)
            return kind;
    return NULL;
}

static const struct kind *document_kind(const json_t *document, struct error *error)
{
    const char *api_version = json_string_value(json_object_get(document, "apiVersion"));
    const char *name = json_string_value(json_object_get(document, "kind"));
    if (api_version == NULL || name == NULL) {
        error_set(error, ERROR_INVALID, "expected a string, found nothing of that kind");
        error_locate(error, name == NULL ? "kind" : "apiVersion");
        return NULL;
    }
    const struct kind *kind = kind_find(api_version, name);
    if (kind == NULL) {
        error_set(error, ERROR_INVALID, "%.100s of %.100s is not a kind that adze knows", name,
                  api_version);
        error_locate(error, "kind");
    }
    return kind;
}

struct object *document_decode(const json_t *document, enum decode_mode mode, struct error *error)
{
    if (!json_is_object(document)) {
        error_set(error, ERROR_INVALID, "the document is not an object");
        return NULL;
    }
    const struct kind *kind = document_kind(document, error);
    return kind == NULL ? NULL : object_decode(document, kind, mode, error);
}
