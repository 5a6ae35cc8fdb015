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
    const char *category;    // NULL: none
} builtins[] = {
    {"", "v1", "ConfigMap", "configmaps", NAMESPACED, "cm", NULL},
    {"", "v1", "Endpoints", "endpoints", NAMESPACED, "ep", NULL},
    {"", "v1", "Event", "events", NAMESPACED, "ev", NULL},
    {"", "v1", "LimitRange", "limitranges", NAMESPACED, "limits", NULL},
    {"", "v1", "Namespace", "namespaces", CLUSTER | STATUS, "ns", NULL},
    {"", "v1", "Node", "nodes", CLUSTER | STATUS, "no", NULL},
    {"", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", NAMESPACED | STATUS, "pvc", NULL},
    {"", "v1", "PersistentVolume", "persistentvolumes", CLUSTER | STATUS, "pv", NULL},
    {"", "v1", "Pod", "pods", NAMESPACED | STATUS, "po", "all"},
    {"", "v1", "PodTemplate", "podtemplates", NAMESPACED, "", NULL},
    {"", "v1", "ReplicationController", "replicationcontrollers", NAMESPACED | STATUS | SCALE, "rc",
     "all"},
    {"", "v1", "ResourceQuota", "resourcequotas", NAMESPACED | STATUS, "quota", NULL},
    {"", "v1", "Secret", "secrets", NAMESPACED, "", NULL},
    {"", "v1", "ServiceAccount", "serviceaccounts", NAMESPACED, "sa", NULL},
    {"", "v1", "Service", "services", NAMESPACED | STATUS, "svc", "all"},
    {"admissionregistration.k8s.io", "v1", "MutatingAdmissionPolicy", "mutatingadmissionpolicies",
     CLUSTER, "", "api-extensions"},
    {"admissionregistration.k8s.io", "v1", "MutatingAdmissionPolicyBinding",
     "mutatingadmissionpolicybindings", CLUSTER, "", "api-extensions"},
    {"admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration",
     "mutatingwebhookconfigurations", CLUSTER, "", "api-extensions"},
    {"admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicy",
     "validatingadmissionpolicies", CLUSTER | STATUS, "", "api-extensions"},
    {"admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicyBinding",
     "validatingadmissionpolicybindings", CLUSTER, "", "api-extensions"},
    {"admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration",
     "validatingwebhookconfigurations", CLUSTER, "", "api-extensions"},
    {"apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions",
     CLUSTER | STATUS, "crd crds", "api-extensions"},
    {"apiregistration.k8s.io", "v1", "APIService", "apiservices", CLUSTER | STATUS, "",
     "api-extensions"},
    {"apps", "v1", "ControllerRevision", "controllerrevisions", NAMESPACED, "", NULL},
    {"apps", "v1", "DaemonSet", "daemonsets", NAMESPACED | STATUS, "ds", "all"},
    {"apps", "v1", "Deployment", "deployments", NAMESPACED | STATUS | SCALE, "deploy", "all"},
    {"apps", "v1", "ReplicaSet", "replicasets", NAMESPACED | STATUS | SCALE, "rs", "all"},
    {"apps", "v1", "StatefulSet", "statefulsets", NAMESPACED | STATUS | SCALE, "sts", "all"},
    {"autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers",
     NAMESPACED | STATUS, "hpa", "all"},
    {"batch", "v1", "CronJob", "cronjobs", NAMESPACED | STATUS, "cj", "all"},
    {"batch", "v1", "Job", "jobs", NAMESPACED | STATUS, "", "all"},
    {"certificates.k8s.io", "v1", "CertificateSigningRequest", "certificatesigningrequests",
     CLUSTER | STATUS, "csr", NULL},
    {"coordination.k8s.io", "v1", "Lease", "leases", NAMESPACED, "", NULL},
    {"discovery.k8s.io", "v1", "EndpointSlice", "endpointslices", NAMESPACED, "", NULL},
    {"flowcontrol.apiserver.k8s.io", "v1", "FlowSchema", "flowschemas", CLUSTER | STATUS, "", NULL},
    {"flowcontrol.apiserver.k8s.io", "v1", "PriorityLevelConfiguration",
     "prioritylevelconfigurations", CLUSTER | STATUS, "", NULL},
    {"networking.k8s.io", "v1", "IngressClass", "ingressclasses", CLUSTER, "", NULL},
    {"networking.k8s.io", "v1", "Ingress", "ingresses", NAMESPACED | STATUS, "ing", NULL},
    {"networking.k8s.io", "v1", "IPAddress", "ipaddresses", CLUSTER, "ip", NULL},
    {"networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies", NAMESPACED, "netpol", NULL},
    {"networking.k8s.io", "v1", "ServiceCIDR", "servicecidrs", CLUSTER | STATUS, "", NULL},
    {"node.k8s.io", "v1", "RuntimeClass", "runtimeclasses", CLUSTER, "", NULL},
    {"policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", NAMESPACED | STATUS, "pdb",
     NULL},
    {"rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings", CLUSTER, "",
     NULL},
    {"rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", CLUSTER, "", NULL},
    {"rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings", NAMESPACED, "", NULL},
    {"rbac.authorization.k8s.io", "v1", "Role", "roles", NAMESPACED, "", NULL},
    {"resource.k8s.io", "v1", "DeviceClass", "deviceclasses", CLUSTER, "", NULL},
    {"resource.k8s.io", "v1", "ResourceClaim", "resourceclaims", NAMESPACED | STATUS, "", NULL},
    {"resource.k8s.io", "v1", "ResourceClaimTemplate", "resourceclaimtemplates", NAMESPACED, "",
     NULL},
    {"resource.k8s.io", "v1", "ResourceSlice", "resourceslices", CLUSTER, "", NULL},
    {"scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", CLUSTER, "pc", NULL},
    {"storage.k8s.io", "v1", "CSIDriver", "csidrivers", CLUSTER, "", NULL},
    {"storage.k8s.io", "v1", "CSINode", "csinodes", CLUSTER, "", NULL},
    {"storage.k8s.io", "v1", "CSIStorageCapacity", "csistoragecapacities", NAMESPACED, "", NULL},
    {"storage.k8s.io", "v1", "StorageClass", "storageclasses", CLUSTER, "sc", NULL},
    {"storage.k8s.io", "v1", "VolumeAttachment", "volumeattachments", CLUSTER | STATUS, "", NULL},
    {"storage.k8s.io", "v1", "VolumeAttributesClass", "volumeattributesclasses", CLUSTER, "vac",
     NULL},
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
    const char *const categories[] = {builtin->category, NULL};
    store_register(store, &(struct store_resource){
                              .group = builtin->group,
                              .version = builtin->version,
                              .kind = builtin->kind,
                              .list_kind = list_kind,
                              .plural = builtin->plural,
                              .singular = singular,
                              .short_names = count > 0 ? short_names : NULL,
                              .categories = categories[0] != NULL ? categories : NULL,
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
                              .definition = version,
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
