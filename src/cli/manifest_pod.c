#include "cli/manifest_pod.h"

#include "base/text.h"
#include "cli/chart_data.h"
#include "model/reading/setting_values.h"
#include "model/reading/settings_read.h"
#include "model/reading/settings_table.h"

// Defaults of the chart that go into the pod as they are.
static const char *const pod_fields[] = {"priorityClassName", "schedulerName", "dnsPolicy",
                                         "nodeSelector", "tolerations"};

static json_t *selector_of(const struct manifest_options *options)
{
    return json_pack("{s:o}", "matchLabels", manifest_labels(options));
}

// --- where the pods go ---------------------------------------------------------------------------

// Terms without selector mean the controller's own pods.
static json_t *own_terms(const struct manifest_options *options, json_t *terms)
{
    size_t index;
    json_t *term;
    json_array_foreach (terms, index, term)
        if (json_object_get(term, "labelSelector") == NULL)
            json_object_set_new(term, "labelSelector", selector_of(options));
    return terms;
}

static json_t *affinity_of(const struct manifest_options *options, const json_t *values)
{
    json_t *affinity = json_deep_copy(json_object_get(values, "affinity"));
    own_terms(options, json_object_get(json_object_get(affinity, "podAntiAffinity"),
                                       "requiredDuringSchedulingIgnoredDuringExecution"));
    return affinity;
}

static json_t *spread_of(const struct manifest_options *options, const json_t *values)
{
    return own_terms(options, json_deep_copy(json_object_get(values, "topologySpreadConstraints")));
}

// --- the container -------------------------------------------------------------------------------

static void add_variable(json_t *variables, const char *name, const char *value)
{
    json_array_append_new(variables, json_pack("{s:s, s:s}", "name", name, "value", value));
}

static void add_reference(json_t *variables, const char *name, json_t *source)
{
    json_array_append_new(variables, json_pack("{s:s, s:o}", "name", name, "valueFrom", source));
}

static json_t *resource_of(const char *resource, const char *divisor)
{
    return json_pack("{s:{s:s, s:s, s:s}}", "resourceFieldRef", "containerName", "controller",
                     "divisor", divisor, "resource", resource);
}

static json_t *variables_of(const struct manifest_options *options)
{
    json_t *variables = json_array();
    uint32_t count;
    const struct setting *table = settings_table(&count);
    add_variable(variables, "KARPENTER_SERVICE", options->name);
    add_reference(variables, "SYSTEM_NAMESPACE",
                  json_pack("{s:{s:s}}", "fieldRef", "fieldPath", "metadata.namespace"));
    add_reference(variables, "CPU_REQUESTS", resource_of("requests.cpu", "1m"));
    add_reference(variables, "MEMORY_LIMIT", resource_of("limits.memory", "0"));
    for (uint32_t i = 0; i < count; i++) {
        if (!settings_is_explicit(options->settings, i))
            continue;
        struct text value = {0};
        setting_format(options->settings, &table[i], &value);
        add_variable(variables, table[i].environment, text_or_empty(value.data));
        text_free(&value);
    }
    return variables;
}

// API-244.
static json_t *security_context(void)
{
    return json_pack("{s:b, s:b, s:b, s:b, s:i, s:i, s:{s:[s]}}", "privileged", 0,
                     "allowPrivilegeEscalation", 0, "readOnlyRootFilesystem", 1, "runAsNonRoot", 1,
                     "runAsUser", 65532, "runAsGroup", 65532, "capabilities", "drop", "ALL");
}

// Port 0: it is not served.
static void add_port(json_t *ports, const char *name, int64_t port)
{
    if (port != 0)
        json_array_append_new(ports, json_pack("{s:s, s:I, s:s}", "name", name, "containerPort",
                                               (json_int_t)port, "protocol", "TCP"));
}

// API-245.
static json_t *probe_of(const char *path, int delay_s)
{
    return json_pack("{s:i, s:i, s:{s:s, s:s}}", "initialDelaySeconds", delay_s, "timeoutSeconds",
                     30, "httpGet", "path", path, "port", "http");
}

static json_t *container_of(const struct manifest_options *options)
{
    json_t *container = json_pack(
        "{s:s, s:s, s:s, s:[s, s, s], s:o, s:o, s:[{s:{s:s, s:b}}]}", "name", "controller", "image",
        options->image, "imagePullPolicy", "IfNotPresent", "args", "controller", "--provider",
        options->provider, "securityContext", security_context(), "env", variables_of(options),
        "envFrom", "configMapRef", "name", "adze-settings", "optional", 1);
    json_t *ports = json_array();
    add_port(ports, "http-metrics", options->settings->metrics_port);
    add_port(ports, "http", options->settings->health_probe_port);
    json_object_set_new(container, "ports", ports);
    if (options->settings->health_probe_port == 0)
        return container;
    json_object_set_new(container, "livenessProbe", probe_of("/healthz", 30));
    json_object_set_new(container, "readinessProbe", probe_of("/readyz", 5));
    return container;
}

// --- the pod -------------------------------------------------------------------------------------

static json_t *pod_of(const struct manifest_options *options, const json_t *values)
{
    json_t *pod = json_pack("{s:s, s:b, s:O}", "serviceAccountName", options->name,
                            "automountServiceAccountToken", 1, "securityContext",
                            json_object_get(values, "podSecurityContext"));
    for (size_t i = 0; i < sizeof pod_fields / sizeof *pod_fields; i++)
        json_object_set(pod, pod_fields[i], json_object_get(values, pod_fields[i]));
    json_object_set_new(pod, "containers", json_pack("[o]", container_of(options)));
    json_object_set_new(pod, "affinity", affinity_of(options, values));
    json_object_set_new(pod, "topologySpreadConstraints", spread_of(options, values));
    return pod;
}

json_t *manifest_deployment(const struct manifest_options *options)
{
    json_t *values = chart_values();
    json_t *deployment =
        manifest_object(options, "apps/v1", "Deployment", options->name, options->namespace);
    json_object_set_new(deployment, "spec",
                        json_pack("{s:I, s:O, s:O, s:o, s:{s:{s:o}, s:o}}", "replicas",
                                  (json_int_t)options->replicas, "revisionHistoryLimit",
                                  json_object_get(values, "revisionHistoryLimit"), "strategy",
                                  json_object_get(values, "strategy"), "selector",
                                  selector_of(options), "template", "metadata", "labels",
                                  manifest_labels(options), "spec", pod_of(options, values)));
    json_decref(values);
    return deployment;
}
