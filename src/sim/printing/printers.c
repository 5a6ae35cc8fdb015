#include "sim/printing/printers.h"

#include <string.h>

#include "base/memory.h"
#include "base/nanoseconds.h"
#include "sim/printing/printers_cluster.h"
#include "sim/printing/printers_storage.h"
#include "sim/printing/printers_workloads.h"
#include "sim/store/store_internal.h"

// --- events --------------------------------------------------------------------------------------

// Both shapes of an event.
static const char *either(const json_t *object, const char *path, const char *other)
{
    const char *text = cell_text(object, path);
    return text != NULL && text[0] != '\0' ? text : cell_text(object, other);
}

static json_t *event_last(const json_t *object, int64_t now_ns)
{
    const char *last = cell_text(object, "series.lastObservedTime");
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
    return cell_take_text(&text, "");
}

static json_t *event_message(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return cell_text_or(either(object, "message", "note"), "");
}

static json_t *event_part(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return cell_text_or(either(object, "involvedObject.fieldPath", "regarding.fieldPath"), "");
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
    return cell_take_text(&text, "");
}

static json_t *event_count(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    static const char *const paths[] = {"series.count", "count", "deprecatedCount"};
    for (size_t i = 0; i < ARRAY_LENGTH(paths); i++)
        if (cell_number(object, paths[i]) > 0)
            return json_integer(cell_number(object, paths[i]));
    return json_integer(1);
}

// --- budgets, leases, services -------------------------------------------------------------------

static json_t *as_text(const json_t *value, const char *otherwise)
{
    if (json_is_integer(value))
        return json_sprintf("%lld", (long long)json_integer_value(value));
    return cell_text_or(json_string_value(value), otherwise);
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
    const char *type = cell_text(object, "spec.type");
    bool balancer = type != NULL && strcmp(type, "LoadBalancer") == 0;
    const json_t *first = json_array_get(store_path(object, "status.loadBalancer.ingress"), 0);
    const char *address = string_at(first, "ip");
    if (address == NULL)
        address = string_at(first, "hostname");
    return cell_text_or(address, balancer ? "<pending>" : "<none>");
}

static json_t *service_ports(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    struct text text = {0};
    size_t i;
    json_t *port;
    json_array_foreach (store_path(object, "spec.ports"), i, port) {
        const char *protocol = string_at(port, "protocol");
        long long node_port = (long long)cell_number(port, "nodePort");
        text_format(&text, "%s%lld", i > 0 ? "," : "", (long long)cell_number(port, "port"));
        if (node_port > 0)
            text_format(&text, ":%lld", node_port);
        text_format(&text, "/%s", protocol != NULL ? protocol : "TCP");
    }
    return cell_take_text(&text, "<none>");
}

// --- the rest ------------------------------------------------------------------------------------

PATH_CELL(phase, "status.phase", "")
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
    {"", "pods", printers_pods},
    {"", "nodes", printers_nodes},
    {"apps", "deployments", printers_deployments},
    {"apps", "replicasets", printers_replica_sets},
    {"", "replicationcontrollers", printers_replica_sets},
    {"apps", "daemonsets", printers_daemon_sets},
    {"apps", "statefulsets", printers_stateful_sets},
    {"batch", "jobs", printers_jobs},
    {"batch", "cronjobs", printers_cron_jobs},
    {"", "events", events},
    {"events.k8s.io", "events", events},
    {"", "namespaces", namespaces},
    {"policy", "poddisruptionbudgets", budgets},
    {"coordination.k8s.io", "leases", leases},
    {"", "services", services},
    {"", "persistentvolumeclaims", printers_claims},
    {"", "persistentvolumes", printers_volumes},
    {"storage.k8s.io", "storageclasses", printers_storage_classes},
    {"storage.k8s.io", "csinodes", printers_csi_nodes},
    {"storage.k8s.io", "volumeattachments", printers_attachments},
    {"scheduling.k8s.io", "priorityclasses", priority_classes},
    {"", "configmaps", config_maps},
    {"", "secrets", secrets},
    {"apiextensions.k8s.io", "customresourcedefinitions", definitions},
    {"autoscaling", "horizontalpodautoscalers", printers_autoscalers},
    {"networking.k8s.io", "ingresses", printers_ingresses},
    {"networking.k8s.io", "ingressclasses", printers_ingress_classes},
    {"networking.k8s.io", "networkpolicies", printers_network_policies},
    {"", "limitranges", printers_limit_ranges},
    {"", "resourcequotas", printers_quotas},
    {"rbac.authorization.k8s.io", "roles", printers_roles},
    {"rbac.authorization.k8s.io", "clusterroles", printers_roles},
    {"rbac.authorization.k8s.io", "rolebindings", printers_role_bindings},
    {"rbac.authorization.k8s.io", "clusterrolebindings", printers_role_bindings},
    {"", "endpoints", printers_endpoints},
    {"discovery.k8s.io", "endpointslices", printers_endpoint_slices},
    {"certificates.k8s.io", "certificatesigningrequests", printers_signing_requests},
    {"apps", "controllerrevisions", printers_revisions},
    {"node.k8s.io", "runtimeclasses", printers_runtime_classes},
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
