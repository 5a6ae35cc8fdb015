#include "cli/manifest_monitoring.h"

#include <assert.h>

#include "base/text.h"
#include "cli/chart_data.h"

static json_t *object_named(const struct manifest_options *options, const char *api_version,
                            const char *kind, const char *suffix)
{
    struct text name = {0};
    text_format(&name, "%s%s", options->name, suffix);
    json_t *object = manifest_object(options, api_version, kind, name.data, options->namespace);
    text_free(&name);
    return object;
}

static json_t *service_monitor(const struct manifest_options *options)
{
    json_t *object = object_named(options, "monitoring.coreos.com/v1", "ServiceMonitor", "");
    json_object_set_new(object, "spec",
                        json_pack("{s:{s:[s]}, s:{s:o}, s:[{s:s, s:s}]}", "namespaceSelector",
                                  "matchNames", options->namespace, "selector", "matchLabels",
                                  manifest_labels(options), "endpoints", "port", "http-metrics",
                                  "path", "/metrics"));
    return object;
}

static json_t *prometheus_rule(const struct manifest_options *options)
{
    json_t *object = object_named(options, "monitoring.coreos.com/v1", "PrometheusRule", "");
    json_object_set_new(object, "spec", chart_alerts());
    return object;
}

static json_t *rules(const struct manifest_options *options)
{
    json_t *object = object_named(options, "v1", "ConfigMap", "-rules");
    json_object_set_new(object, "data", json_pack("{s:s}", "adze.rules.yaml", chart_alerts_file()));
    return object;
}

static json_t *dashboard(const struct manifest_options *options,
                         const struct chart_dashboard *dashboard)
{
    CLEANUP_FREE char *suffix = NULL, *key = NULL;
    struct text text = {0};
    text_format(&text, "-dashboard-%s", dashboard->name);
    suffix = text_take(&text);
    text_format(&text, "adze-%s.json", dashboard->name);
    key = text_take(&text);
    json_t *object = object_named(options, "v1", "ConfigMap", suffix);
    json_t *labels = json_object_get(json_object_get(object, "metadata"), "labels");
    json_object_set_new(labels, "grafana_dashboard", json_string("1"));
    json_object_set_new(object, "data", json_pack("{s:s}", key, dashboard->text));
    return object;
}

void manifest_monitoring_add(const struct manifest_options *options, bool by_operator,
                             json_t *objects)
{
    assert(json_is_array(objects));
    if (by_operator)
        json_array_append_new(objects, service_monitor(options));
    json_array_append_new(objects, by_operator ? prometheus_rule(options) : rules(options));
    for (const struct chart_dashboard *at = chart_dashboards; at->name != NULL; at++)
        json_array_append_new(objects, dashboard(options, at));
}
