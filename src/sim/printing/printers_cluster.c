#include "sim/printing/printers_cluster.h"

#include <string.h>

#include "base/memory.h"
#include "sim/store/store_internal.h"

#define LISTED_MAX 3 // hosts, addresses and metrics beyond are counted: "a,b,c + 2 more..."

PATH_CELL(created_at, "metadata.creationTimestamp", "<unknown>")

static void add_limited(struct text *text, uint32_t *count, const char *value)
{
    if ((*count)++ < LISTED_MAX)
        text_join(text, ",", value);
}

static json_t *take_limited(struct text *text, uint32_t count, const char *otherwise)
{
    if (count > LISTED_MAX)
        text_format(text, " + %u more...", count - LISTED_MAX);
    return cell_take_text(text, otherwise);
}

// --- autoscalers ---------------------------------------------------------------------------------

static json_t *autoscaler_reference(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    const char *kind = cell_text(object, "spec.scaleTargetRef.kind");
    const char *name = cell_text(object, "spec.scaleTargetRef.name");
    return json_sprintf("%s/%s", kind != NULL ? kind : "", name != NULL ? name : "");
}

// The embedded cluster has no usage to scale by, so the present value is always unknown.
static json_t *autoscaler_targets(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    struct text text = {0};
    size_t i;
    json_t *metric;
    json_array_foreach (store_path(object, "spec.metrics"), i, metric) {
        const char *name = cell_text(metric, "resource.name");
        const char *average = cell_text(metric, "resource.target.averageValue");
        struct text target = {0};
        if (name == NULL)
            text_add(&target, "<unknown>/<auto>");
        else if (average != NULL)
            text_format(&target, "%s: <unknown>/%s", name, average);
        else
            text_format(&target, "%s: <unknown>/%lld%%", name,
                        (long long)cell_number(metric, "resource.target.averageUtilization"));
        text_join(&text, ", ", target.data);
        text_free(&target);
    }
    return cell_take_text(&text, "<none>");
}

PATH_CELL(autoscaler_minimum, "spec.minReplicas", "<unset>")
NUMBER_CELL(autoscaler_maximum, "spec.maxReplicas")
NUMBER_CELL(autoscaler_replicas, "status.currentReplicas")

// --- ingresses and network policies --------------------------------------------------------------

PATH_CELL(ingress_class, "spec.ingressClassName", "<none>")
PATH_CELL(class_controller, "spec.controller", "")

static json_t *ingress_hosts(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    struct text text = {0};
    uint32_t count = 0;
    size_t i;
    json_t *rule;
    json_array_foreach (store_path(object, "spec.rules"), i, rule) {
        const char *host = string_at(rule, "host");
        if (host != NULL)
            add_limited(&text, &count, host);
    }
    return take_limited(&text, count, "*");
}

static json_t *ingress_address(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    struct text text = {0};
    size_t i;
    json_t *point;
    json_array_foreach (store_path(object, "status.loadBalancer.ingress"), i, point) {
        const char *address = string_at(point, "ip");
        text_join(&text, ",", address != NULL ? address : string_at(point, "hostname"));
    }
    return cell_take_text(&text, "");
}

static json_t *ingress_ports(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return json_string(json_array_size(store_path(object, "spec.tls")) > 0 ? "80, 443" : "80");
}

static json_t *class_parameters(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    const char *kind = cell_text(object, "spec.parameters.kind");
    const char *group = cell_text(object, "spec.parameters.apiGroup");
    const char *name = cell_text(object, "spec.parameters.name");
    if (kind == NULL)
        return json_string("<none>");
    return json_sprintf("%s%s%s/%s", kind, group != NULL ? "." : "", group != NULL ? group : "",
                        name != NULL ? name : "");
}

static json_t *policy_pods(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return cell_labels(store_path(object, "spec.podSelector.matchLabels"));
}

// --- quotas --------------------------------------------------------------------------------------

static json_t *quota_amounts(const json_t *object, bool limits)
{
    struct text text = {0};
    const char *name;
    json_t *hard;
    json_object_foreach (store_path(object, "status.hard"), name, hard) {
        if (text_starts_with(name, "limits.") != limits)
            continue;
        const char *used = string_at(store_path(object, "status.used"), name);
        struct text amount = {0};
        text_format(&amount, "%s: %s/%s", name, used != NULL ? used : "0",
                    json_is_string(hard) ? json_string_value(hard) : "");
        text_join(&text, ", ", amount.data);
        text_free(&amount);
    }
    return cell_take_text(&text, "");
}

static json_t *quota_requests(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return quota_amounts(object, false);
}

static json_t *quota_limits(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return quota_amounts(object, true);
}

// --- roles ---------------------------------------------------------------------------------------

static json_t *binding_role(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    const char *kind = cell_text(object, "roleRef.kind"), *name = cell_text(object, "roleRef.name");
    return json_sprintf("%s/%s", kind != NULL ? kind : "", name != NULL ? name : "");
}

static json_t *binding_subjects(const json_t *object, const char *kind)
{
    struct text text = {0};
    size_t i;
    json_t *subject;
    json_array_foreach (json_object_get(object, "subjects"), i, subject) {
        const char *given = string_at(subject, "kind"), *name = string_at(subject, "name");
        const char *namespace = string_at(subject, "namespace");
        if (given == NULL || name == NULL || strcmp(given, kind) != 0)
            continue;
        text_join(&text, ", ", "");
        if (namespace != NULL)
            text_format(&text, "%s/", namespace);
        text_add(&text, name);
    }
    return cell_take_text(&text, "");
}

static json_t *binding_users(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return binding_subjects(object, "User");
}

static json_t *binding_groups(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return binding_subjects(object, "Group");
}

static json_t *binding_accounts(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    return binding_subjects(object, "ServiceAccount");
}

// --- endpoints -----------------------------------------------------------------------------------

static json_t *endpoint_addresses(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    struct text text = {0};
    uint32_t count = 0;
    size_t s, a, p;
    json_t *subset, *address, *port;
    json_array_foreach (json_object_get(object, "subsets"), s, subset) {
        json_array_foreach (json_object_get(subset, "addresses"), a, address) {
            json_array_foreach (json_object_get(subset, "ports"), p, port) {
                struct text one = {0};
                const char *ip = string_at(address, "ip");
                text_format(&one, "%s:%lld", ip != NULL ? ip : "",
                            (long long)cell_number(port, "port"));
                add_limited(&text, &count, one.data);
                text_free(&one);
            }
        }
    }
    return take_limited(&text, count, "<none>");
}

PATH_CELL(slice_type, "addressType", "")

static json_t *slice_ports(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    struct text text = {0};
    size_t i;
    json_t *port;
    json_array_foreach (json_object_get(object, "ports"), i, port) {
        text_join(&text, ",", "");
        text_format(&text, "%lld", (long long)cell_number(port, "port"));
    }
    return cell_take_text(&text, "<unset>");
}

static json_t *slice_endpoints(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    struct text text = {0};
    uint32_t count = 0;
    size_t i;
    json_t *endpoint;
    json_array_foreach (json_object_get(object, "endpoints"), i, endpoint) {
        const json_t *addresses = json_object_get(endpoint, "addresses");
        const char *address = json_string_value(json_array_get(addresses, 0));
        add_limited(&text, &count, address != NULL ? address : "");
    }
    return take_limited(&text, count, "<unset>");
}

// --- the rest ------------------------------------------------------------------------------------

PATH_CELL(request_signer, "spec.signerName", "<none>")
PATH_CELL(request_user, "spec.username", "<none>")
PATH_CELL(runtime_handler, "handler", "")
NUMBER_CELL(revision_number, "revision")

static json_t *request_condition(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    const json_t *conditions = store_path(object, "status.conditions");
    return cell_text_or(string_at(json_array_get(conditions, 0), "type"), "Pending");
}

static json_t *revision_owner(const json_t *object, int64_t now_ns)
{
    (void)now_ns;
    const json_t *owner = json_array_get(store_path(object, "metadata.ownerReferences"), 0);
    const char *kind = string_at(owner, "kind"), *name = string_at(owner, "name");
    const char *version = string_at(owner, "apiVersion");
    if (kind == NULL || name == NULL || version == NULL)
        return json_string("<none>");
    struct text text = {0};
    for (const char *c = kind; *c != '\0'; c++)
        text_add_char(&text, *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c);
    size_t group = strcspn(version, "/");
    if (version[group] == '/')
        text_format(&text, ".%.*s", (int)group, version);
    text_format(&text, "/%s", name);
    return cell_take_text(&text, "<none>");
}

const struct printer printers_autoscalers[] = {NAME,
                                               {"Reference", "string", 0, autoscaler_reference},
                                               {"Targets", "string", 0, autoscaler_targets},
                                               {"MinPods", "string", 0, autoscaler_minimum},
                                               {"MaxPods", "string", 0, autoscaler_maximum},
                                               {"Replicas", "string", 0, autoscaler_replicas},
                                               AGE,
                                               THE_END};
const struct printer printers_ingresses[] = {NAME,
                                             {"Class", "string", 0, ingress_class},
                                             {"Hosts", "string", 0, ingress_hosts},
                                             {"Address", "string", 0, ingress_address},
                                             {"Ports", "string", 0, ingress_ports},
                                             AGE,
                                             THE_END};
const struct printer printers_ingress_classes[] = {NAME,
                                                   {"Controller", "string", 0, class_controller},
                                                   {"Parameters", "string", 0, class_parameters},
                                                   AGE,
                                                   THE_END};
const struct printer printers_network_policies[] = {
    NAME, {"Pod-Selector", "string", 0, policy_pods}, AGE, THE_END};
const struct printer printers_limit_ranges[] = {
    NAME, {"Created At", "date", 0, created_at}, THE_END};
const struct printer printers_quotas[] = {NAME,
                                          {"Request", "string", 0, quota_requests},
                                          {"Limit", "string", 0, quota_limits},
                                          AGE,
                                          THE_END};
const struct printer printers_roles[] = {NAME, {"Created At", "date", 0, created_at}, THE_END};
const struct printer printers_role_bindings[] = {NAME,
                                                 {"Role", "string", 0, binding_role},
                                                 AGE,
                                                 {"Users", "string", 1, binding_users},
                                                 {"Groups", "string", 1, binding_groups},
                                                 {"ServiceAccounts", "string", 1, binding_accounts},
                                                 THE_END};
const struct printer printers_endpoints[] = {
    NAME, {"Endpoints", "string", 0, endpoint_addresses}, AGE, THE_END};
const struct printer printers_endpoint_slices[] = {NAME,
                                                   {"AddressType", "string", 0, slice_type},
                                                   {"Ports", "string", 0, slice_ports},
                                                   {"Endpoints", "string", 0, slice_endpoints},
                                                   AGE,
                                                   THE_END};
const struct printer printers_signing_requests[] = {NAME,
                                                    AGE,
                                                    {"SignerName", "string", 0, request_signer},
                                                    {"Requestor", "string", 0, request_user},
                                                    {"Condition", "string", 0, request_condition},
                                                    THE_END};
const struct printer printers_revisions[] = {NAME,
                                             {"Controller", "string", 0, revision_owner},
                                             {"Revision", "integer", 0, revision_number},
                                             AGE,
                                             THE_END};
const struct printer printers_runtime_classes[] = {
    NAME, {"Handler", "string", 0, runtime_handler}, AGE, THE_END};
