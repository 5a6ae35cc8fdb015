#include "sim/store/resources.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/schema/type.h"
#include "model/tables/kinds.h"
#include "sim/store/store_internal.h"

enum { CLUSTER = 0, NAMESPACED = 1, STATUS = 2, SCALE = 4 };

// Rows in the order of kubectl api-resources.
static const struct builtin {
    const char *group, *version, *kind, *plural;
    int flags;
    const char *short_names; // separated by spaces
    bool in_all;             // category "all"
} builtins[] = {
    {"", "v1", "ConfigMap", "configmaps", NAMESPACED, "cm", false},
    {"", "v1", "Endpoints", "endpoints", NAMESPACED, "ep", false},
    {"", "v1", "Event", "events", NAMESPACED, "ev", false},
    {"", "v1", "LimitRange", "limitranges", NAMESPACED, "limits", false},
    {"", "v1", "Namespace", "namespaces", CLUSTER | STATUS, "ns", false},
    {"", "v1", "Node", "nodes", CLUSTER | STATUS, "no", false},
    {"", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", NAMESPACED | STATUS, "pvc",
     false},
    {"", "v1", "PersistentVolume", "persistentvolumes", CLUSTER | STATUS, "pv", false},
    {"", "v1", "Pod", "pods", NAMESPACED | STATUS, "po", true},
    {"", "v1", "PodTemplate", "podtemplates", NAMESPACED, "", false},
    {"", "v1", "ReplicationController", "replicationcontrollers", NAMESPACED | STATUS | SCALE, "rc",
     true},
    {"", "v1", "ResourceQuota", "resourcequotas", NAMESPACED | STATUS, "quota", false},
    {"", "v1", "Secret", "secrets", NAMESPACED, "", false},
    {"", "v1", "ServiceAccount", "serviceaccounts", NAMESPACED, "sa", false},
    {"", "v1", "Service", "services", NAMESPACED | STATUS, "svc", true},
    {"apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions",
     CLUSTER | STATUS, "crd crds", false},
    {"apps", "v1", "ControllerRevision", "controllerrevisions", NAMESPACED, "", false},
    {"apps", "v1", "DaemonSet", "daemonsets", NAMESPACED | STATUS, "ds", true},
    {"apps", "v1", "Deployment", "deployments", NAMESPACED | STATUS | SCALE, "deploy", true},
    {"apps", "v1", "ReplicaSet", "replicasets", NAMESPACED | STATUS | SCALE, "rs", true},
    {"apps", "v1", "StatefulSet", "statefulsets", NAMESPACED | STATUS | SCALE, "sts", true},
    {"autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers",
     NAMESPACED | STATUS, "hpa", true},
    {"batch", "v1", "CronJob", "cronjobs", NAMESPACED | STATUS, "cj", true},
    {"batch", "v1", "Job", "jobs", NAMESPACED | STATUS, "", true},
    {"coordination.k8s.io", "v1", "Lease", "leases", NAMESPACED, "", false},
    {"discovery.k8s.io", "v1", "EndpointSlice", "endpointslices", NAMESPACED, "", false},
    {"networking.k8s.io", "v1", "Ingress", "ingresses", NAMESPACED | STATUS, "ing", false},
    {"networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies", NAMESPACED, "netpol", false},
    {"node.k8s.io", "v1", "RuntimeClass", "runtimeclasses", CLUSTER, "", false},
    {"policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", NAMESPACED | STATUS, "pdb",
     false},
    {"rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings", CLUSTER, "",
     false},
    {"rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", CLUSTER, "", false},
    {"rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings", NAMESPACED, "", false},
    {"rbac.authorization.k8s.io", "v1", "Role", "roles", NAMESPACED, "", false},
    {"resource.k8s.io", "v1", "DeviceClass", "deviceclasses", CLUSTER, "", false},
    {"resource.k8s.io", "v1", "ResourceClaim", "resourceclaims", NAMESPACED | STATUS, "", false},
    {"resource.k8s.io", "v1", "ResourceClaimTemplate", "resourceclaimtemplates", NAMESPACED, "",
     false},
    {"resource.k8s.io", "v1", "ResourceSlice", "resourceslices", CLUSTER, "", false},
    {"scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", CLUSTER, "pc", false},
    {"storage.k8s.io", "v1", "CSIDriver", "csidrivers", CLUSTER, "", false},
    {"storage.k8s.io", "v1", "CSINode", "csinodes", CLUSTER, "", false},
    {"storage.k8s.io", "v1", "StorageClass", "storageclasses", CLUSTER, "sc", false},
    {"storage.k8s.io", "v1", "VolumeAttachment", "volumeattachments", CLUSTER | STATUS, "", false},
};

static void lower_case(const char *text, char *out, size_t size)
{
    size_t i = 0;
    for (; text[i] != '\0' && i + 1 < size; i++)
        out[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] - 'A' + 'a') : text[i];
    out[i] = '\0';
}

static void register_builtin(struct store *store, const struct builtin *builtin)
{
    char singular[80], list_kind[80], words[40];
    lower_case(builtin->kind, singular, sizeof singular);
    snprintf(list_kind, sizeof list_kind, "%sList", builtin->kind);
    snprintf(words, sizeof words, "%s", builtin->short_names);
    const char *short_names[4] = {0};
    size_t count = 0;
    char *rest = words, *word;
    while (count + 1 < ARRAY_LENGTH(short_names) && (word = strsep(&rest, " ")) != NULL)
        if (word[0] != '\0')
            short_names[count++] = word;
    static const char *const all[] = {"all", NULL};
    store_register(store, &(struct store_resource){
                              .group = builtin->group,
                              .version = builtin->version,
                              .kind = builtin->kind,
                              .list_kind = list_kind,
                              .plural = builtin->plural,
                              .singular = singular,
                              .short_names = count > 0 ? short_names : NULL,
                              .categories = builtin->in_all ? all : NULL,
                              .namespaced = builtin->flags & NAMESPACED,
                              .status_subresource = builtin->flags & STATUS,
                              .scale_subresource = builtin->flags & SCALE,
                          });
}

static void register_custom(struct store *store, const struct kind *kind)
{
    const struct custom_kind *facts = kind->custom_facts;
    char list_kind[120];
    snprintf(list_kind, sizeof list_kind, "%sList", kind->name);
    const char *categories[] = {facts != NULL ? facts->category : NULL, NULL};
    store_register(store, &(struct store_resource){
                              .group = kind->group,
                              .version = kind->version,
                              .kind = kind->name,
                              .list_kind = list_kind,
                              .plural = kind->plural,
                              .singular = kind->singular,
                              .short_names = facts != NULL ? facts->short_names : NULL,
                              .categories = categories[0] != NULL ? categories : NULL,
                              .namespaced = kind->namespaced,
                              .status_subresource = facts != NULL && facts->status_subresource,
                              .scale_subresource = facts != NULL && facts->scale_spec_path != NULL,
                              .custom = true,
                          });
}

void resources_register(struct store *store)
{
    for (size_t i = 0; i < ARRAY_LENGTH(builtins); i++)
        register_builtin(store, &builtins[i]);
    for (int id = 0; id < KIND_COUNT; id++)
        if (kind_get((enum kind_id)id)->custom)
            register_custom(store, kind_get((enum kind_id)id));
    store->namespaces = store_resource_find(store, "", "v1", "namespaces");
    store->pods = store_resource_find(store, "", "v1", "pods");
    store->limit_ranges = store_resource_find(store, "", "v1", "limitranges");
    store->service_accounts = store_resource_find(store, "", "v1", "serviceaccounts");
    store->priority_classes =
        store_resource_find(store, "scheduling.k8s.io", "v1", "priorityclasses");
    store->definitions =
        store_resource_find(store, "apiextensions.k8s.io", "v1", "customresourcedefinitions");
}

const struct kind *resource_kind(const struct store_resource *resource)
{
    return kind_find_plural(resource->group, resource->version, resource->plural);
}

// --- definitions added at run time ---------------------------------------------------------------

#define NAMES_MAX 8

static void read_names(const json_t *array, const char *names[NAMES_MAX + 1])
{
    size_t count = 0, i;
    json_t *name;
    json_array_foreach (array, i, name) {
        if (json_is_string(name) && count < NAMES_MAX)
            names[count++] = json_string_value(name);
    }
    names[count] = NULL;
}

static bool register_version(struct store *store, const json_t *spec, const json_t *version)
{
    const json_t *names = json_object_get(spec, "names");
    const char *group = string_at(spec, "group"), *scope = string_at(spec, "scope");
    const char *kind = string_at(names, "kind"), *plural = string_at(names, "plural");
    const char *name = string_at(version, "name");
    if (group == NULL || scope == NULL || kind == NULL || plural == NULL || name == NULL)
        return false;
    if (!json_is_true(json_object_get(version, "served")) ||
        store->resources_count == STORE_RESOURCES_MAX)
        return true;
    char singular[256], list_kind[256];
    lower_case(kind, singular, sizeof singular);
    snprintf(list_kind, sizeof list_kind, "%sList", kind);
    const char *short_names[NAMES_MAX + 1], *categories[NAMES_MAX + 1];
    read_names(json_object_get(names, "shortNames"), short_names);
    read_names(json_object_get(names, "categories"), categories);
    const char *given_singular = string_at(names, "singular");
    const char *given_list = string_at(names, "listKind");
    const json_t *subresources = json_object_get(version, "subresources");
    store_register(store, &(struct store_resource){
                              .group = group,
                              .version = name,
                              .kind = kind,
                              .list_kind = given_list != NULL ? given_list : list_kind,
                              .plural = plural,
                              .singular = given_singular != NULL ? given_singular : singular,
                              .short_names = short_names[0] != NULL ? short_names : NULL,
                              .categories = categories[0] != NULL ? categories : NULL,
                              .namespaced = strcmp(scope, "Namespaced") == 0,
                              .status_subresource = json_object_get(subresources, "status") != NULL,
                              .scale_subresource = json_object_get(subresources, "scale") != NULL,
                              .custom = true,
                          });
    return true;
}

bool resources_register_definition(struct store *store, const json_t *definition)
{
    const json_t *spec = json_object_get(definition, "spec");
    const json_t *versions = json_object_get(spec, "versions");
    size_t i;
    json_t *version;
    bool good = json_array_size(versions) > 0;
    json_array_foreach (versions, i, version) {
        good = register_version(store, spec, version) && good;
    }
    return good;
}
