#include "sim/store/store_defaults.h"

#include <string.h>

#include <openssl/evp.h>

#include "base/hash.h"
#include "base/memory.h"
#include "sim/store/store_internal.h"

static void default_text(json_t *object, const char *key, const char *text)
{
    default_set(object, key, json_string(text));
}

static void default_number(json_t *object, const char *key, json_int_t number)
{
    default_set(object, key, json_integer(number));
}

static void default_flag(json_t *object, const char *key, bool flag)
{
    default_set(object, key, json_boolean(flag));
}

// --- pods ----------------------------------------------------------------------------------------

static const char *image_pull_policy(const char *image)
{
    const char *digest = strchr(image, '@');
    const char *slash = strrchr(image, '/');
    const char *tag = strrchr(slash != NULL ? slash : image, ':');
    if (digest != NULL)
        return "IfNotPresent";
    return tag == NULL || strcmp(tag, ":latest") == 0 ? "Always" : "IfNotPresent";
}

// A resource with a limit and no request is requested up to its limit.
static void default_requests(json_t *container)
{
    json_t *resources = child_object(container, "resources");
    json_t *limits = json_object_get(resources, "limits");
    const char *name;
    json_t *limit;
    json_object_foreach (limits, name, limit) {
        json_t *requests = child_object(resources, "requests");
        if (json_object_get(requests, name) == NULL)
            json_object_set(requests, name, limit);
    }
}

static void default_probe(json_t *container, const char *key)
{
    json_t *probe = json_object_get(container, key);
    if (!json_is_object(probe))
        return;
    default_number(probe, "timeoutSeconds", 1);
    default_number(probe, "periodSeconds", 10);
    default_number(probe, "successThreshold", 1);
    default_number(probe, "failureThreshold", 3);
    json_t *get = json_object_get(probe, "httpGet");
    if (json_is_object(get)) {
        default_text(get, "path", "/");
        default_text(get, "scheme", "HTTP");
    }
}

static void default_container(json_t *container)
{
    if (!json_is_object(container))
        return;
    const char *image = string_at(container, "image");
    default_text(container, "imagePullPolicy", image_pull_policy(image != NULL ? image : ""));
    default_text(container, "terminationMessagePath", "/dev/termination-log");
    default_text(container, "terminationMessagePolicy", "File");
    default_requests(container);
    default_probe(container, "livenessProbe");
    default_probe(container, "readinessProbe");
    default_probe(container, "startupProbe");
    size_t i;
    json_t *port;
    json_array_foreach (json_object_get(container, "ports"), i, port) {
        if (json_is_object(port))
            default_text(port, "protocol", "TCP");
    }
}

static void default_volume(json_t *volume)
{
    json_t *source = json_object_get(volume, "secret");
    if (json_is_object(source))
        default_number(source, "defaultMode", 420);
    source = json_object_get(volume, "configMap");
    if (json_is_object(source))
        default_number(source, "defaultMode", 420);
    source = json_object_get(volume, "projected");
    if (json_is_object(source))
        default_number(source, "defaultMode", 420);
    source = json_object_get(volume, "hostPath");
    if (json_is_object(source))
        default_text(source, "type", "");
}

static void default_pod_spec(json_t *spec)
{
    if (!json_is_object(spec))
        return;
    default_text(spec, "restartPolicy", "Always");
    default_text(spec, "dnsPolicy", "ClusterFirst");
    default_text(spec, "schedulerName", "default-scheduler");
    default_number(spec, "terminationGracePeriodSeconds", 30);
    default_set(spec, "securityContext", json_object());
    static const char *const lists[] = {"containers", "initContainers"};
    for (size_t l = 0; l < ARRAY_LENGTH(lists); l++) {
        size_t i;
        json_t *container;
        json_array_foreach (json_object_get(spec, lists[l]), i, container) {
            default_container(container);
        }
    }
    size_t i;
    json_t *item;
    json_array_foreach (json_object_get(spec, "volumes"), i, item) {
        default_volume(item);
    }
    if (json_is_true(json_object_get(spec, "hostNetwork"))) {
        json_array_foreach (json_object_get(spec, "containers"), i, item) {
            size_t j;
            json_t *port;
            json_array_foreach (json_object_get(item, "ports"), j, port) {
                json_t *number = json_object_get(port, "containerPort");
                if (number != NULL && json_object_get(port, "hostPort") == NULL)
                    json_object_set(port, "hostPort", number);
            }
        }
    }
}

static void default_pod(struct store *store, json_t *pod, bool creating)
{
    (void)store;
    (void)creating;
    json_t *spec = json_object_get(pod, "spec");
    default_pod_spec(spec);
    if (json_is_object(spec))
        default_flag(spec, "enableServiceLinks", true);
}

// --- workloads -----------------------------------------------------------------------------------

static json_t *template_of(json_t *spec)
{
    json_t *template = json_object_get(spec, "template");
    if (!json_is_object(template))
        return NULL;
    default_pod_spec(json_object_get(template, "spec"));
    return template;
}

// Old clients omit the selector; the labels of the template replace it.
static void default_selector(json_t *spec, json_t *template)
{
    json_t *labels = json_object_get(json_object_get(template, "metadata"), "labels");
    if (json_object_get(spec, "selector") == NULL && json_object_size(labels) > 0)
        json_object_set_new(spec, "selector", json_pack("{s:O}", "matchLabels", labels));
}

static void default_deployment(struct store *store, json_t *object, bool creating)
{
    (void)store;
    (void)creating;
    json_t *spec = child_object(object, "spec");
    template_of(spec);
    default_number(spec, "replicas", 1);
    default_number(spec, "revisionHistoryLimit", 10);
    default_number(spec, "progressDeadlineSeconds", 600);
    json_t *strategy = child_object(spec, "strategy");
    default_text(strategy, "type", "RollingUpdate");
    const char *type = string_at(strategy, "type");
    if (type == NULL || strcmp(type, "RollingUpdate") != 0)
        return;
    json_t *rolling = child_object(strategy, "rollingUpdate");
    default_text(rolling, "maxUnavailable", "25%");
    default_text(rolling, "maxSurge", "25%");
}

static void default_replica_set(struct store *store, json_t *object, bool creating)
{
    (void)store;
    (void)creating;
    json_t *spec = child_object(object, "spec");
    json_t *template = template_of(spec);
    default_number(spec, "replicas", 1);
    default_selector(spec, template);
}

static void default_replication_controller(struct store *store, json_t *object, bool creating)
{
    (void)store;
    (void)creating;
    json_t *spec = child_object(object, "spec");
    json_t *template = template_of(spec);
    default_number(spec, "replicas", 1);
    json_t *labels = json_object_get(json_object_get(template, "metadata"), "labels");
    if (json_object_get(spec, "selector") == NULL && labels != NULL)
        json_object_set(spec, "selector", labels);
}

static void default_daemon_set(struct store *store, json_t *object, bool creating)
{
    (void)store;
    (void)creating;
    json_t *spec = child_object(object, "spec");
    template_of(spec);
    default_number(spec, "revisionHistoryLimit", 10);
    json_t *strategy = child_object(spec, "updateStrategy");
    default_text(strategy, "type", "RollingUpdate");
    const char *type = string_at(strategy, "type");
    if (type == NULL || strcmp(type, "RollingUpdate") != 0)
        return;
    json_t *rolling = child_object(strategy, "rollingUpdate");
    default_number(rolling, "maxUnavailable", 1);
    default_number(rolling, "maxSurge", 0);
}

static void default_volume_claim(struct store *store, json_t *object, bool creating)
{
    (void)store;
    (void)creating;
    json_t *spec = child_object(object, "spec");
    default_text(spec, "volumeMode", "Filesystem");
}

static void default_stateful_set(struct store *store, json_t *object, bool creating)
{
    json_t *spec = child_object(object, "spec");
    template_of(spec);
    default_number(spec, "replicas", 1);
    default_number(spec, "revisionHistoryLimit", 10);
    default_text(spec, "podManagementPolicy", "OrderedReady");
    json_t *retention = child_object(spec, "persistentVolumeClaimRetentionPolicy");
    default_text(retention, "whenDeleted", "Retain");
    default_text(retention, "whenScaled", "Retain");
    json_t *strategy = child_object(spec, "updateStrategy");
    default_text(strategy, "type", "RollingUpdate");
    const char *type = string_at(strategy, "type");
    if (type != NULL && strcmp(type, "RollingUpdate") == 0)
        default_number(child_object(strategy, "rollingUpdate"), "partition", 0);
    size_t i;
    json_t *claim;
    json_array_foreach (json_object_get(spec, "volumeClaimTemplates"), i, claim) {
        if (!json_is_object(claim))
            continue;
        default_text(claim, "apiVersion", "v1");
        default_text(claim, "kind", "PersistentVolumeClaim");
        default_volume_claim(store, claim, creating);
    }
}

// A job's selector is made of its uid (batch/v1, manualSelector false).
static void default_job_selector(json_t *object, json_t *spec)
{
    if (json_is_true(json_object_get(spec, "manualSelector")))
        return;
    const char *uid = store_uid(object), *name = store_name(object);
    json_t *template = child_object(spec, "template");
    json_t *labels = child_object(child_object(template, "metadata"), "labels");
    default_text(labels, "batch.kubernetes.io/controller-uid", uid);
    default_text(labels, "batch.kubernetes.io/job-name", name);
    default_text(labels, "controller-uid", uid);
    default_text(labels, "job-name", name);
    default_set(spec, "selector",
                json_pack("{s:{s:s}}", "matchLabels", "batch.kubernetes.io/controller-uid", uid));
}

static void default_job_spec(json_t *spec)
{
    template_of(spec);
    if (json_object_get(spec, "completions") == NULL &&
        json_object_get(spec, "parallelism") == NULL)
        default_number(spec, "completions", 1);
    default_number(spec, "parallelism", 1);
    default_number(spec, "backoffLimit", 6);
    default_text(spec, "completionMode", "NonIndexed");
    default_flag(spec, "suspend", false);
    default_flag(spec, "manualSelector", false);
    default_text(spec, "podReplacementPolicy", "TerminatingOrFailed");
}

static void default_job(struct store *store, json_t *object, bool creating)
{
    (void)store;
    json_t *spec = child_object(object, "spec");
    default_job_spec(spec);
    if (creating)
        default_job_selector(object, spec);
}

static void default_cron_job(struct store *store, json_t *object, bool creating)
{
    (void)store;
    (void)creating;
    json_t *spec = child_object(object, "spec");
    template_of(child_object(child_object(spec, "jobTemplate"), "spec"));
    default_text(spec, "concurrencyPolicy", "Allow");
    default_flag(spec, "suspend", false);
    default_number(spec, "successfulJobsHistoryLimit", 3);
    default_number(spec, "failedJobsHistoryLimit", 1);
}

// --- the rest ------------------------------------------------------------------------------------

static void default_autoscaler(struct store *store, json_t *object, bool creating)
{
    (void)store;
    (void)creating;
    default_number(child_object(object, "spec"), "minReplicas", 1);
}

// From the range of kube-apiserver, by the Service's uid.
static void default_node_ports(json_t *object, json_t *spec)
{
    const char *type = string_at(spec, "type");
    if (type == NULL || (strcmp(type, "NodePort") != 0 && strcmp(type, "LoadBalancer") != 0))
        return;
    default_text(spec, "externalTrafficPolicy", "Cluster");
    if (strcmp(type, "LoadBalancer") == 0)
        default_flag(spec, "allocateLoadBalancerNodePorts", true);
    const char *uid = store_uid(object);
    uint64_t first = hash_bytes(uid, strlen(uid));
    size_t i;
    json_t *port;
    json_array_foreach (json_object_get(spec, "ports"), i, port) {
        if (json_is_object(port))
            default_number(port, "nodePort", (json_int_t)(30000 + (first + i) % 2768));
    }
}

static void default_service(struct store *store, json_t *object, bool creating)
{
    json_t *spec = child_object(object, "spec");
    default_text(spec, "type", "ClusterIP");
    default_text(spec, "sessionAffinity", "None");
    default_text(spec, "internalTrafficPolicy", "Cluster");
    default_text(spec, "ipFamilyPolicy", "SingleStack");
    default_set(spec, "ipFamilies", json_pack("[s]", "IPv4"));
    if (creating && json_object_get(spec, "clusterIP") == NULL) {
        char address[40];
        uint64_t number = random_below(&store->random, 1 << 16);
        snprintf(address, sizeof address, "10.96.%u.%u", (unsigned)(number >> 8),
                 (unsigned)(number & 255));
        json_object_set_new(spec, "clusterIP", json_string(address));
        json_object_set_new(spec, "clusterIPs", json_pack("[s]", address));
    }
    size_t i;
    json_t *port;
    json_array_foreach (json_object_get(spec, "ports"), i, port) {
        if (!json_is_object(port))
            continue;
        default_text(port, "protocol", "TCP");
        if (json_object_get(port, "targetPort") == NULL)
            json_object_set(port, "targetPort", json_object_get(port, "port"));
    }
    default_node_ports(object, spec);
}

// stringData is for writing only: it becomes base64 in data.
static void default_secret(struct store *store, json_t *object, bool creating)
{
    (void)store;
    (void)creating;
    default_text(object, "type", "Opaque");
    json_t *texts = json_incref(json_object_get(object, "stringData"));
    const char *key;
    json_t *value;
    json_object_foreach (texts, key, value) {
        size_t length = json_string_length(value);
        CLEANUP_FREE unsigned char *encoded = memory_allocate(length * 4 / 3 + 8);
        EVP_EncodeBlock(encoded, (const unsigned char *)json_string_value(value), (int)length);
        json_object_set_new(child_object(object, "data"), key, json_string((char *)encoded));
    }
    json_object_del(object, "stringData");
    json_decref(texts);
}

// A limit is the default limit's and the default request's upper end.
static void default_limit_range(struct store *store, json_t *object, bool creating)
{
    (void)store;
    (void)creating;
    size_t i;
    json_t *limit, *value;
    json_array_foreach (store_path(object, "spec.limits"), i, limit) {
        const char *type = string_at(limit, "type"), *name;
        if (type == NULL || strcmp(type, "Container") != 0)
            continue;
        json_object_foreach (json_object_get(limit, "max"), name, value) {
            default_set(child_object(limit, "default"), name, json_incref(value));
        }
        json_object_foreach (json_object_get(limit, "default"), name, value) {
            default_set(child_object(limit, "defaultRequest"), name, json_incref(value));
        }
        json_object_foreach (json_object_get(limit, "min"), name, value) {
            default_set(child_object(limit, "defaultRequest"), name, json_incref(value));
        }
    }
}

static void default_persistent_volume(struct store *store, json_t *object, bool creating)
{
    (void)store;
    (void)creating;
    json_t *spec = child_object(object, "spec");
    default_text(spec, "persistentVolumeReclaimPolicy", "Retain");
    default_text(spec, "volumeMode", "Filesystem");
}

static void default_storage_class(struct store *store, json_t *object, bool creating)
{
    (void)store;
    (void)creating;
    default_text(object, "reclaimPolicy", "Delete");
    default_text(object, "volumeBindingMode", "Immediate");
}

static void default_priority_class(struct store *store, json_t *object, bool creating)
{
    (void)store;
    (void)creating;
    default_text(object, "preemptionPolicy", "PreemptLowerPriority");
}

static void default_namespace(struct store *store, json_t *object, bool creating)
{
    (void)store;
    (void)creating;
    json_t *labels = child_object(json_object_get(object, "metadata"), "labels");
    json_object_set_new(labels, "kubernetes.io/metadata.name", json_string(store_name(object)));
    default_set(child_object(object, "spec"), "finalizers", json_pack("[s]", "kubernetes"));
}

static void default_node(struct store *store, json_t *object, bool creating)
{
    (void)store;
    (void)creating;
    child_object(object, "spec");
}

static void default_definition(struct store *store, json_t *object, bool creating)
{
    (void)store;
    (void)creating;
    json_t *spec = child_object(object, "spec");
    json_t *names = child_object(spec, "names");
    const char *kind = string_at(names, "kind");
    if (kind != NULL && json_object_get(names, "listKind") == NULL)
        json_object_set_new(names, "listKind", json_sprintf("%sList", kind));
    default_set(spec, "conversion", json_pack("{s:s}", "strategy", "None"));
}

static const struct {
    const char *group, *plural;
    void (*apply)(struct store *store, json_t *object, bool creating);
} rules[] = {
    {"", "pods", default_pod},
    {"apps", "deployments", default_deployment},
    {"apps", "replicasets", default_replica_set},
    {"", "replicationcontrollers", default_replication_controller},
    {"apps", "daemonsets", default_daemon_set},
    {"apps", "statefulsets", default_stateful_set},
    {"batch", "jobs", default_job},
    {"batch", "cronjobs", default_cron_job},
    {"autoscaling", "horizontalpodautoscalers", default_autoscaler},
    {"", "services", default_service},
    {"", "secrets", default_secret},
    {"", "limitranges", default_limit_range},
    {"", "persistentvolumeclaims", default_volume_claim},
    {"", "persistentvolumes", default_persistent_volume},
    {"storage.k8s.io", "storageclasses", default_storage_class},
    {"scheduling.k8s.io", "priorityclasses", default_priority_class},
    {"", "namespaces", default_namespace},
    {"", "nodes", default_node},
    {"apiextensions.k8s.io", "customresourcedefinitions", default_definition},
};

void defaults_apply(struct store *store, const struct store_resource *resource, json_t *object,
                    bool creating)
{
    if (resource->custom)
        return;
    for (size_t i = 0; i < ARRAY_LENGTH(rules); i++)
        if (strcmp(resource->plural, rules[i].plural) == 0 &&
            strcmp(resource->group, rules[i].group) == 0) {
            rules[i].apply(store, object, creating);
            return;
        }
}
