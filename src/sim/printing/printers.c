// What kubectl users are used to see of each built-in kind.
#include "sim/printing/printers.h"

#include <string.h>

#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "sim/printing/table.h"
#include "sim/store/store_internal.h"
#include "sim/store/store_meta.h"

// --- cells that several kinds share --------------------------------------------------------------

static const char *text_of(const json_t *object, const char *path)
{
    return json_string_value(store_path(object, path));
}

static json_int_t number_of(const json_t *object, const char *path)
{
    return json_integer_value(store_path(object, path));
}

static json_t *text_or(const char *text, const char *otherwise)
{
    return json_string(text != NULL && text[0] != '\0' ? text : otherwise);
}

static json_t *take_text(struct text *text, const char *otherwise)
{
    json_t *cell = text_or(text->data, otherwise);
    text_free(text);
    return cell;
}

json_t *cell_name(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return json_string(store_name(object));
}

json_t *cell_since(const char *instant, int64_t now_ns)
{
    int64_t then_ns;
    char text[32];
    if (instant == NULL || !instant_parse(instant, &then_ns, NULL))
        return json_string("<unknown>");
    duration_human(ns_subtract(now_ns, then_ns), text);
    return json_string(text);
}

json_t *cell_age(const json_t *object, int64_t now_ns)
{
    return cell_since(text_of(object, "metadata.creationTimestamp"), now_ns);
}

// Cells that are just the value at a path; numbers stay numbers.
static json_t *value_or(const json_t *object, const char *path, const char *otherwise)
{
    json_t *value = store_path(object, path);
    if (value == NULL || (json_is_string(value) && json_string_length(value) == 0))
        return otherwise != NULL ? json_string(otherwise) : NULL;
    return json_incref(value);
}

#define PATH_CELL(function, path, otherwise)                      \
    static json_t *function(const json_t *object, int64_t now_ns) \
    {                                                             \
        (void)now_ns;                                             \
        return value_or(object, path, otherwise);                 \
    }
#define NUMBER_CELL(function, path)                               \
    static json_t *function(const json_t *object, int64_t now_ns) \
    {                                                             \
        (void)now_ns;                                             \
        return json_integer(number_of(object, path));             \
    }

static json_t *labels_text(const json_t *labels)
{
    struct text text = {0};
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)labels, key, value) {
        text_join(&text, ",", key);
        text_format(&text, "=%s", json_is_string(value) ? json_string_value(value) : "");
    }
    return take_text(&text, "<none>");
}

static json_t *cell_selector(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    const json_t *selector = store_path(object, "spec.selector");
    const json_t *labels = json_object_get(selector, "matchLabels");
    return labels_text(labels != NULL ? labels : selector);
}

static json_t *container_values(const json_t *object, const char *key)
{
    struct text text = {0};
    size_t i;
    json_t *container;
    json_array_foreach (store_path(object, "spec.template.spec.containers"), i, container) {
        const char *value = string_at(container, key);
        text_join(&text, ",", value != NULL ? value : "");
    }
    return take_text(&text, "<none>");
}

static json_t *cell_containers(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return container_values(object, "name");
}

static json_t *cell_images(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return container_values(object, "image");
}

static const json_t *condition_of(const json_t *object, const char *type)
{
    size_t i;
    json_t *condition;
    json_array_foreach (store_path(object, "status.conditions"), i, condition) {
        const char *name = string_at(condition, "type");
        if (name != NULL && strcmp(name, type) == 0)
            return condition;
    }
    return NULL;
}

static bool condition_is_true_of(const json_t *object, const char *type)
{
    const char *status = string_at(condition_of(object, type), "status");
    return status != NULL && strcmp(status, "True") == 0;
}

// --- pods ----------------------------------------------------------------------------------------

static json_t *pod_ready(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    size_t i, ready = 0;
    json_t *status;
    json_array_foreach (store_path(object, "status.containerStatuses"), i, status) {
        ready += json_is_true(json_object_get(status, "ready"));
    }
    return json_sprintf("%zu/%zu", ready, json_array_size(store_path(object, "spec.containers")));
}

static const char *container_reason(const json_t *object)
{
    const char *reason = NULL;
    size_t i;
    json_t *status;
    json_array_foreach (store_path(object, "status.containerStatuses"), i, status) {
        const char *waiting = text_of(status, "state.waiting.reason");
        const char *terminated = text_of(status, "state.terminated.reason");
        if (waiting != NULL && waiting[0] != '\0')
            reason = waiting;
        else if (terminated != NULL && terminated[0] != '\0')
            reason = terminated;
    }
    return reason;
}

static json_t *pod_status(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    if (meta_is_deleting(object))
        return json_string("Terminating");
    const char *reason = text_of(object, "status.reason");
    if (reason != NULL && reason[0] != '\0')
        return json_string(reason);
    const char *scheduled = string_at(condition_of(object, "PodScheduled"), "reason");
    if (scheduled != NULL && strcmp(scheduled, "SchedulingGated") == 0)
        return json_string("SchedulingGated");
    const char *container = container_reason(object);
    return text_or(container != NULL ? container : text_of(object, "status.phase"), "Unknown");
}

static json_t *pod_restarts(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    json_int_t restarts = 0;
    size_t i;
    json_t *status;
    json_array_foreach (store_path(object, "status.containerStatuses"), i, status) {
        restarts += json_integer_value(json_object_get(status, "restartCount"));
    }
    return json_sprintf("%lld", (long long)restarts);
}

PATH_CELL(pod_ip, "status.podIP", "<none>")
PATH_CELL(pod_node, "spec.nodeName", "<none>")
PATH_CELL(pod_nominated, "status.nominatedNodeName", "<none>")

static json_t *pod_gates(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    const json_t *gates = store_path(object, "spec.readinessGates");
    if (json_array_size(gates) == 0)
        return json_string("<none>");
    size_t i, passed = 0;
    json_t *gate;
    json_array_foreach (gates, i, gate) {
        const char *type = string_at(gate, "conditionType");
        passed += type != NULL && condition_is_true_of(object, type);
    }
    return json_sprintf("%zu/%zu", passed, json_array_size(gates));
}

// --- nodes ---------------------------------------------------------------------------------------

static json_t *node_status(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    const char *ready = string_at(condition_of(object, "Ready"), "status");
    struct text text = {0};
    if (ready == NULL)
        text_add(&text, "Unknown");
    else
        text_add(&text, strcmp(ready, "True") == 0 ? "Ready" : "NotReady");
    if (json_is_true(store_path(object, "spec.unschedulable")))
        text_add(&text, ",SchedulingDisabled");
    return take_text(&text, "Unknown");
}

static json_t *node_roles(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    static const char prefix[] = "node-role.kubernetes.io/";
    struct text text = {0};
    const char *key;
    json_t *value;
    json_object_foreach (store_path(object, "metadata.labels"), key, value) {
        if (text_starts_with(key, prefix))
            text_join(&text, ",", key + strlen(prefix));
        else if (strcmp(key, "kubernetes.io/role") == 0 && json_is_string(value))
            text_join(&text, ",", json_string_value(value));
    }
    return take_text(&text, "<none>");
}

static json_t *node_address(const json_t *object, const char *type)
{
    size_t i;
    json_t *address;
    json_array_foreach (store_path(object, "status.addresses"), i, address) {
        const char *given = string_at(address, "type");
        if (given != NULL && strcmp(given, type) == 0)
            return text_or(string_at(address, "address"), "<none>");
    }
    return json_string("<none>");
}

static json_t *node_internal(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return node_address(object, "InternalIP");
}

static json_t *node_external(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return node_address(object, "ExternalIP");
}

PATH_CELL(node_version, "status.nodeInfo.kubeletVersion", "")
PATH_CELL(node_image, "status.nodeInfo.osImage", "<unknown>")
PATH_CELL(node_kernel, "status.nodeInfo.kernelVersion", "<unknown>")
PATH_CELL(node_runtime, "status.nodeInfo.containerRuntimeVersion", "<unknown>")

// --- workloads -----------------------------------------------------------------------------------

static json_t *ready_of_wanted(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return json_sprintf("%lld/%lld", (long long)number_of(object, "status.readyReplicas"),
                        (long long)number_of(object, "spec.replicas"));
}

NUMBER_CELL(updated_replicas, "status.updatedReplicas")
NUMBER_CELL(available_replicas, "status.availableReplicas")
NUMBER_CELL(wanted_replicas, "spec.replicas")
NUMBER_CELL(present_replicas, "status.replicas")
NUMBER_CELL(ready_replicas, "status.readyReplicas")
NUMBER_CELL(daemons_wanted, "status.desiredNumberScheduled")
NUMBER_CELL(daemons_present, "status.currentNumberScheduled")
NUMBER_CELL(daemons_ready, "status.numberReady")
NUMBER_CELL(daemons_updated, "status.updatedNumberScheduled")
NUMBER_CELL(daemons_available, "status.numberAvailable")

static json_t *daemons_nodes(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return labels_text(store_path(object, "spec.template.spec.nodeSelector"));
}

static json_t *job_status(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    static const char *const types[] = {"Complete", "Failed"};
    for (size_t i = 0; i < ARRAY_LENGTH(types); i++)
        if (condition_is_true_of(object, types[i]))
            return json_string(types[i]);
    if (meta_is_deleting(object))
        return json_string("Terminating");
    if (condition_is_true_of(object, "Suspended"))
        return json_string("Suspended");
    return json_string("Running");
}

static json_t *job_completions(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    long long done = (long long)number_of(object, "status.succeeded");
    long long parallel = (long long)number_of(object, "spec.parallelism");
    if (store_path(object, "spec.completions") != NULL)
        return json_sprintf("%lld/%lld", done, (long long)number_of(object, "spec.completions"));
    return parallel > 1 ? json_sprintf("%lld/1 of %lld", done, parallel)
                        : json_sprintf("%lld/1", done);
}

static json_t *job_duration(const json_t *object, int64_t now_ns)
{
    int64_t start_ns, end_ns = now_ns;
    const char *start = text_of(object, "status.startTime");
    const char *end = text_of(object, "status.completionTime");
    if (start == NULL || !instant_parse(start, &start_ns, NULL))
        return json_string("");
    if (end != NULL && !instant_parse(end, &end_ns, NULL))
        return json_string("");
    char text[32];
    duration_human(ns_subtract(end_ns, start_ns), text);
    return json_string(text);
}

PATH_CELL(cron_schedule, "spec.schedule", "")
PATH_CELL(cron_zone, "spec.timeZone", "<none>")

static json_t *cron_suspend(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return json_string(json_is_true(store_path(object, "spec.suspend")) ? "True" : "False");
}

static json_t *cron_active(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return json_integer((json_int_t)json_array_size(store_path(object, "status.active")));
}

static json_t *cron_last(const json_t *object, int64_t now_ns)
{
    const char *last = text_of(object, "status.lastScheduleTime");
    return last != NULL ? cell_since(last, now_ns) : json_string("<none>");
}

// --- events --------------------------------------------------------------------------------------

// Both shapes of an event.
static const char *either(const json_t *object, const char *path, const char *other)
{
    const char *text = text_of(object, path);
    return text != NULL && text[0] != '\0' ? text : text_of(object, other);
}

static json_t *event_last(const json_t *object, int64_t now_ns)
{
    const char *last = text_of(object, "series.lastObservedTime");
    if (last == NULL)
        last = either(object, "lastTimestamp", "deprecatedLastTimestamp");
    if (last == NULL)
        last = either(object, "eventTime", "metadata.creationTimestamp");
    return cell_since(last, now_ns);
}

static json_t *event_first(const json_t *object, int64_t now_ns)
{
    const char *first = either(object, "firstTimestamp", "deprecatedFirstTimestamp");
    if (first == NULL)
        first = either(object, "eventTime", "metadata.creationTimestamp");
    return cell_since(first, now_ns);
}

PATH_CELL(event_type, "type", "")
PATH_CELL(event_reason, "reason", "")

static json_t *event_object(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    const char *kind = either(object, "involvedObject.kind", "regarding.kind");
    const char *name = either(object, "involvedObject.name", "regarding.name");
    struct text text = {0};
    for (const char *c = kind != NULL ? kind : ""; *c != '\0'; c++)
        text_add_char(&text, *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c);
    if (name != NULL && name[0] != '\0')
        text_format(&text, "/%s", name);
    return take_text(&text, "");
}

static json_t *event_message(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return text_or(either(object, "message", "note"), "");
}

static json_t *event_part(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return text_or(either(object, "involvedObject.fieldPath", "regarding.fieldPath"), "");
}

static json_t *event_source(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    const char *component = either(object, "source.component", "deprecatedSource.component");
    if (component == NULL)
        component = either(object, "reportingComponent", "reportingController");
    const char *host = either(object, "source.host", "deprecatedSource.host");
    struct text text = {0};
    text_add(&text, component != NULL ? component : "");
    if (host != NULL && host[0] != '\0')
        text_format(&text, ", %s", host);
    return take_text(&text, "");
}

static json_t *event_count(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    static const char *const paths[] = {"series.count", "count", "deprecatedCount"};
    for (size_t i = 0; i < ARRAY_LENGTH(paths); i++)
        if (number_of(object, paths[i]) > 0)
            return json_integer(number_of(object, paths[i]));
    return json_integer(1);
}

// --- budgets, leases, services -------------------------------------------------------------------

static json_t *as_text(const json_t *value, const char *otherwise)
{
    if (json_is_integer(value))
        return json_sprintf("%lld", (long long)json_integer_value(value));
    return text_or(json_string_value(value), otherwise);
}

static json_t *budget_minimum(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return as_text(store_path(object, "spec.minAvailable"), "N/A");
}

static json_t *budget_maximum(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return as_text(store_path(object, "spec.maxUnavailable"), "N/A");
}

NUMBER_CELL(budget_allowed, "status.disruptionsAllowed")
PATH_CELL(lease_holder, "spec.holderIdentity", "")
PATH_CELL(service_type, "spec.type", "")
PATH_CELL(service_address, "spec.clusterIP", "<none>")

static json_t *service_external(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    const char *type = text_of(object, "spec.type");
    bool balancer = type != NULL && strcmp(type, "LoadBalancer") == 0;
    const json_t *first = json_array_get(store_path(object, "status.loadBalancer.ingress"), 0);
    const char *address = string_at(first, "ip");
    if (address == NULL)
        address = string_at(first, "hostname");
    return text_or(address, balancer ? "<pending>" : "<none>");
}

static json_t *service_ports(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    struct text text = {0};
    size_t i;
    json_t *port;
    json_array_foreach (store_path(object, "spec.ports"), i, port) {
        const char *protocol = string_at(port, "protocol");
        long long node_port = (long long)number_of(port, "nodePort");
        text_format(&text, "%s%lld", i > 0 ? "," : "", (long long)number_of(port, "port"));
        if (node_port > 0)
            text_format(&text, ":%lld", node_port);
        text_format(&text, "/%s", protocol != NULL ? protocol : "TCP");
    }
    return take_text(&text, "<none>");
}

// --- storage -------------------------------------------------------------------------------------

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
    return take_text(&text, "");
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
    const char *name = text_of(object, "spec.claimRef.name");
    const char *namespace = text_of(object, "spec.claimRef.namespace");
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

// --- the rest ------------------------------------------------------------------------------------

PATH_CELL(priority_value, "value", "0")
PATH_CELL(priority_policy, "preemptionPolicy", "")
PATH_CELL(secret_type, "type", "Opaque")
PATH_CELL(created_at, "metadata.creationTimestamp", "<unknown>")

static json_t *priority_default(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return json_boolean(json_is_true(json_object_get(object, "globalDefault")));
}

static json_t *data_count(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return json_integer((json_int_t)(json_object_size(json_object_get(object, "data")) +
                                     json_object_size(json_object_get(object, "binaryData"))));
}

#define NAME                           \
    {                                  \
        "Name", "string", 0, cell_name \
    }
#define AGE                          \
    {                                \
        "Age", "string", 0, cell_age \
    }
#define IMAGES                                    \
    {"Containers", "string", 1, cell_containers}, \
    {                                             \
        "Images", "string", 1, cell_images        \
    }
#define CHOICE                                 \
    {                                          \
        "Selector", "string", 1, cell_selector \
    }
#define THE_END \
    {           \
        0       \
    }

static const struct printer pods[] = {NAME,
                                      {"Ready", "string", 0, pod_ready},
                                      {"Status", "string", 0, pod_status},
                                      {"Restarts", "string", 0, pod_restarts},
                                      AGE,
                                      {"IP", "string", 1, pod_ip},
                                      {"Node", "string", 1, pod_node},
                                      {"Nominated Node", "string", 1, pod_nominated},
                                      {"Readiness Gates", "string", 1, pod_gates},
                                      THE_END};
static const struct printer nodes[] = {NAME,
                                       {"Status", "string", 0, node_status},
                                       {"Roles", "string", 0, node_roles},
                                       AGE,
                                       {"Version", "string", 0, node_version},
                                       {"Internal-IP", "string", 1, node_internal},
                                       {"External-IP", "string", 1, node_external},
                                       {"OS-Image", "string", 1, node_image},
                                       {"Kernel-Version", "string", 1, node_kernel},
                                       {"Container-Runtime", "string", 1, node_runtime},
                                       THE_END};
static const struct printer deployments[] = {NAME,
                                             {"Ready", "string", 0, ready_of_wanted},
                                             {"Up-to-date", "integer", 0, updated_replicas},
                                             {"Available", "integer", 0, available_replicas},
                                             AGE,
                                             IMAGES,
                                             CHOICE,
                                             THE_END};
static const struct printer replica_sets[] = {NAME,
                                              {"Desired", "integer", 0, wanted_replicas},
                                              {"Current", "integer", 0, present_replicas},
                                              {"Ready", "integer", 0, ready_replicas},
                                              AGE,
                                              IMAGES,
                                              CHOICE,
                                              THE_END};
static const struct printer daemon_sets[] = {NAME,
                                             {"Desired", "integer", 0, daemons_wanted},
                                             {"Current", "integer", 0, daemons_present},
                                             {"Ready", "integer", 0, daemons_ready},
                                             {"Up-to-date", "integer", 0, daemons_updated},
                                             {"Available", "integer", 0, daemons_available},
                                             {"Node Selector", "string", 0, daemons_nodes},
                                             AGE,
                                             IMAGES,
                                             CHOICE,
                                             THE_END};
static const struct printer stateful_sets[] = {
    NAME, {"Ready", "string", 0, ready_of_wanted}, AGE, IMAGES, THE_END};
static const struct printer jobs[] = {NAME,
                                      {"Status", "string", 0, job_status},
                                      {"Completions", "string", 0, job_completions},
                                      {"Duration", "string", 0, job_duration},
                                      AGE,
                                      IMAGES,
                                      CHOICE,
                                      THE_END};
static const struct printer cron_jobs[] = {NAME,
                                           {"Schedule", "string", 0, cron_schedule},
                                           {"Timezone", "string", 0, cron_zone},
                                           {"Suspend", "string", 0, cron_suspend},
                                           {"Active", "integer", 0, cron_active},
                                           {"Last Schedule", "string", 0, cron_last},
                                           AGE,
                                           THE_END};
static const struct printer events[] = {{"Last Seen", "string", 0, event_last},
                                        {"Type", "string", 0, event_type},
                                        {"Reason", "string", 0, event_reason},
                                        {"Object", "string", 0, event_object},
                                        {"Subobject", "string", 1, event_part},
                                        {"Source", "string", 1, event_source},
                                        {"Message", "string", 0, event_message},
                                        {"First Seen", "string", 1, event_first},
                                        {"Count", "integer", 1, event_count},
                                        {"Name", "string", 1, cell_name},
                                        THE_END};
static const struct printer namespaces[] = {NAME, {"Status", "string", 0, phase}, AGE, THE_END};
static const struct printer budgets[] = {NAME,
                                         {"Min Available", "string", 0, budget_minimum},
                                         {"Max Unavailable", "string", 0, budget_maximum},
                                         {"Allowed Disruptions", "integer", 0, budget_allowed},
                                         AGE,
                                         THE_END};
static const struct printer leases[] = {NAME, {"Holder", "string", 0, lease_holder}, AGE, THE_END};
static const struct printer services[] = {NAME,
                                          {"Type", "string", 0, service_type},
                                          {"Cluster-IP", "string", 0, service_address},
                                          {"External-IP", "string", 0, service_external},
                                          {"Port(s)", "string", 0, service_ports},
                                          AGE,
                                          CHOICE,
                                          THE_END};
static const struct printer claims[] = {NAME,
                                        {"Status", "string", 0, phase},
                                        {"Volume", "string", 0, claim_volume},
                                        {"Capacity", "string", 0, claim_capacity},
                                        {"Access Modes", "string", 0, claim_modes},
                                        {"StorageClass", "string", 0, storage_class},
                                        {"VolumeAttributesClass", "string", 0, attributes_class},
                                        AGE,
                                        {"VolumeMode", "string", 1, volume_mode},
                                        THE_END};
static const struct printer volumes[] = {NAME,
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
static const struct printer storage_classes[] = {
    {"Name", "string", 0, class_name},
    {"Provisioner", "string", 0, class_provisioner},
    {"ReclaimPolicy", "string", 0, class_policy},
    {"VolumeBindingMode", "string", 0, class_binding},
    {"AllowVolumeExpansion", "string", 0, class_expansion},
    AGE,
    THE_END};
static const struct printer csi_nodes[] = {
    NAME, {"Drivers", "integer", 0, csi_drivers}, AGE, THE_END};
static const struct printer attachments[] = {NAME,
                                             {"Attacher", "string", 0, attachment_driver},
                                             {"PV", "string", 0, attachment_volume},
                                             {"Node", "string", 0, attachment_node},
                                             {"Attached", "boolean", 0, attachment_status},
                                             AGE,
                                             THE_END};
static const struct printer priority_classes[] = {
    NAME,
    {"Value", "integer", 0, priority_value},
    {"Global-Default", "boolean", 0, priority_default},
    AGE,
    {"PreemptionPolicy", "string", 0, priority_policy},
    THE_END};
static const struct printer config_maps[] = {
    NAME, {"Data", "integer", 0, data_count}, AGE, THE_END};
static const struct printer secrets[] = {
    NAME, {"Type", "string", 0, secret_type}, {"Data", "integer", 0, data_count}, AGE, THE_END};
static const struct printer definitions[] = {NAME, {"Created At", "date", 0, created_at}, THE_END};
static const struct printer others[] = {NAME, AGE, THE_END};

static const struct {
    const char *group, *plural;
    const struct printer *printers;
} table[] = {
    {"", "pods", pods},
    {"", "nodes", nodes},
    {"apps", "deployments", deployments},
    {"apps", "replicasets", replica_sets},
    {"", "replicationcontrollers", replica_sets},
    {"apps", "daemonsets", daemon_sets},
    {"apps", "statefulsets", stateful_sets},
    {"batch", "jobs", jobs},
    {"batch", "cronjobs", cron_jobs},
    {"", "events", events},
    {"events.k8s.io", "events", events},
    {"", "namespaces", namespaces},
    {"policy", "poddisruptionbudgets", budgets},
    {"coordination.k8s.io", "leases", leases},
    {"", "services", services},
    {"", "persistentvolumeclaims", claims},
    {"", "persistentvolumes", volumes},
    {"storage.k8s.io", "storageclasses", storage_classes},
    {"storage.k8s.io", "csinodes", csi_nodes},
    {"storage.k8s.io", "volumeattachments", attachments},
    {"scheduling.k8s.io", "priorityclasses", priority_classes},
    {"", "configmaps", config_maps},
    {"", "secrets", secrets},
    {"apiextensions.k8s.io", "customresourcedefinitions", definitions},
};

const struct printer *printers_of(const struct store_resource *resource)
{
    if (resource->custom)
        return NULL;
    for (size_t i = 0; i < ARRAY_LENGTH(table); i++)
        if (strcmp(table[i].plural, resource->plural) == 0 &&
            strcmp(table[i].group, resource->group) == 0)
            return table[i].printers;
    return others;
}
