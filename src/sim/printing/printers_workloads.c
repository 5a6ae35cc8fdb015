#include "sim/printing/printers_workloads.h"

#include <string.h>

#include "base/memory.h"
#include "base/nanoseconds.h"
#include "sim/printing/cells.h"
#include "sim/store/store_internal.h"
#include "sim/store/store_meta.h"

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
        const char *waiting = cell_text(status, "state.waiting.reason");
        const char *terminated = cell_text(status, "state.terminated.reason");
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
    const char *reason = cell_text(object, "status.reason");
    if (reason != NULL && reason[0] != '\0')
        return json_string(reason);
    const char *scheduled = string_at(cell_condition(object, "PodScheduled"), "reason");
    if (scheduled != NULL && strcmp(scheduled, "SchedulingGated") == 0)
        return json_string("SchedulingGated");
    const char *container = container_reason(object);
    return cell_text_or(container != NULL ? container : cell_text(object, "status.phase"),
                        "Unknown");
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
        passed += type != NULL && cell_condition_is_true(object, type);
    }
    return json_sprintf("%zu/%zu", passed, json_array_size(gates));
}

// --- nodes ---------------------------------------------------------------------------------------

static json_t *node_status(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    const char *ready = string_at(cell_condition(object, "Ready"), "status");
    struct text text = {0};
    if (ready == NULL)
        text_add(&text, "Unknown");
    else
        text_add(&text, strcmp(ready, "True") == 0 ? "Ready" : "NotReady");
    if (json_is_true(store_path(object, "spec.unschedulable")))
        text_add(&text, ",SchedulingDisabled");
    return cell_take_text(&text, "Unknown");
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
    return cell_take_text(&text, "<none>");
}

static json_t *node_address(const json_t *object, const char *type)
{
    size_t i;
    json_t *address;
    json_array_foreach (store_path(object, "status.addresses"), i, address) {
        const char *given = string_at(address, "type");
        if (given != NULL && strcmp(given, type) == 0)
            return cell_text_or(string_at(address, "address"), "<none>");
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
    return json_sprintf("%lld/%lld", (long long)cell_number(object, "status.readyReplicas"),
                        (long long)cell_number(object, "spec.replicas"));
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
    return cell_labels(store_path(object, "spec.template.spec.nodeSelector"));
}

static json_t *job_status(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    static const char *const types[] = {"Complete", "Failed"};
    for (size_t i = 0; i < ARRAY_LENGTH(types); i++)
        if (cell_condition_is_true(object, types[i]))
            return json_string(types[i]);
    if (meta_is_deleting(object))
        return json_string("Terminating");
    if (cell_condition_is_true(object, "Suspended"))
        return json_string("Suspended");
    return json_string("Running");
}

static json_t *job_completions(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    long long done = (long long)cell_number(object, "status.succeeded");
    long long parallel = (long long)cell_number(object, "spec.parallelism");
    if (store_path(object, "spec.completions") != NULL)
        return json_sprintf("%lld/%lld", done, (long long)cell_number(object, "spec.completions"));
    return parallel > 1 ? json_sprintf("%lld/1 of %lld", done, parallel)
                        : json_sprintf("%lld/1", done);
}

static json_t *job_duration(const json_t *object, int64_t now_ns)
{
    int64_t start_ns, end_ns = now_ns;
    const char *start = cell_text(object, "status.startTime");
    const char *end = cell_text(object, "status.completionTime");
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
    const char *last = cell_text(object, "status.lastScheduleTime");
    return last != NULL ? cell_since(last, now_ns) : json_string("<none>");
}

static json_t *cron_containers(const json_t *object, int64_t now_ns)
{
    return cell_containers(store_path(object, "spec.jobTemplate"), now_ns);
}

static json_t *cron_images(const json_t *object, int64_t now_ns)
{
    return cell_images(store_path(object, "spec.jobTemplate"), now_ns);
}

static json_t *cron_selector(const json_t *object, int64_t now_ns)
{
    return cell_selector(store_path(object, "spec.jobTemplate"), now_ns);
}

// --- columns -------------------------------------------------------------------------------------

const struct printer printers_pods[] = {NAME,
                                        {"Ready", "string", 0, pod_ready},
                                        {"Status", "string", 0, pod_status},
                                        {"Restarts", "string", 0, pod_restarts},
                                        AGE,
                                        {"IP", "string", 1, pod_ip},
                                        {"Node", "string", 1, pod_node},
                                        {"Nominated Node", "string", 1, pod_nominated},
                                        {"Readiness Gates", "string", 1, pod_gates},
                                        THE_END};

const struct printer printers_nodes[] = {NAME,
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

const struct printer printers_deployments[] = {NAME,
                                               {"Ready", "string", 0, ready_of_wanted},
                                               {"Up-to-date", "integer", 0, updated_replicas},
                                               {"Available", "integer", 0, available_replicas},
                                               AGE,
                                               IMAGES,
                                               CHOICE,
                                               THE_END};

const struct printer printers_replica_sets[] = {NAME,
                                                {"Desired", "integer", 0, wanted_replicas},
                                                {"Current", "integer", 0, present_replicas},
                                                {"Ready", "integer", 0, ready_replicas},
                                                AGE,
                                                IMAGES,
                                                CHOICE,
                                                THE_END};

const struct printer printers_daemon_sets[] = {NAME,
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

const struct printer printers_stateful_sets[] = {
    NAME, {"Ready", "string", 0, ready_of_wanted}, AGE, IMAGES, THE_END};

const struct printer printers_jobs[] = {NAME,
                                        {"Status", "string", 0, job_status},
                                        {"Completions", "string", 0, job_completions},
                                        {"Duration", "string", 0, job_duration},
                                        AGE,
                                        IMAGES,
                                        CHOICE,
                                        THE_END};

const struct printer printers_cron_jobs[] = {NAME,
                                             {"Schedule", "string", 0, cron_schedule},
                                             {"Timezone", "string", 0, cron_zone},
                                             {"Suspend", "string", 0, cron_suspend},
                                             {"Active", "integer", 0, cron_active},
                                             {"Last Schedule", "string", 0, cron_last},
                                             AGE,
                                             {"Containers", "string", 1, cron_containers},
                                             {"Images", "string", 1, cron_images},
                                             {"Selector", "string", 1, cron_selector},
                                             THE_END};
