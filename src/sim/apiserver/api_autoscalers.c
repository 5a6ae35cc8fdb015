#include "sim/apiserver/api_autoscalers.h"

#include <string.h>

#include "base/memory.h"

#define ANNOTATION "autoscaling.alpha.kubernetes.io/metrics"
#define SHARE      "targetCPUUtilizationPercentage"

// The wanted share of cpu of a metric, or NULL.
static json_t *cpu_share(const json_t *metric)
{
    const json_t *resource = json_object_get(metric, "resource");
    const char *name = json_string_value(json_object_get(resource, "name"));
    return name != NULL && strcmp(name, "cpu") == 0
               ? json_object_get(json_object_get(resource, "target"), "averageUtilization")
               : NULL;
}

static json_t *copy_with_version(const json_t *autoscaler, const char *api_version)
{
    json_t *copy = json_deep_copy(autoscaler);
    json_object_set_new(copy, "apiVersion", json_string(api_version));
    return copy;
}

static void set_annotation(json_t *autoscaler, const json_t *metrics)
{
    json_t *metadata = json_object_get(autoscaler, "metadata");
    json_t *annotations = json_object_get(metadata, "annotations");
    if (!json_is_object(annotations)) {
        annotations = json_object();
        json_object_set_new(metadata, "annotations", annotations);
    }
    CLEANUP_FREE char *text = json_dumps(metrics, JSON_COMPACT);
    json_object_set_new(annotations, ANNOTATION, json_string(text));
}

json_t *autoscaler_to_v1(const json_t *autoscaler)
{
    json_t *result = copy_with_version(autoscaler, "autoscaling/v1");
    json_t *spec = json_object_get(result, "spec"), *metric;
    json_t *others = json_array();
    size_t i;
    json_array_foreach (json_object_get(spec, "metrics"), i, metric) {
        if (cpu_share(metric) != NULL && json_object_get(spec, SHARE) == NULL)
            json_object_set(spec, SHARE, cpu_share(metric));
        else
            json_array_append(others, metric);
    }
    json_object_del(spec, "metrics");
    if (json_array_size(others) > 0)
        set_annotation(result, others);
    json_decref(others);
    return result;
}

// The metrics that stood in the annotation; a new reference.
static json_t *take_annotation(json_t *autoscaler)
{
    json_t *annotations = json_object_get(json_object_get(autoscaler, "metadata"), "annotations");
    const char *text = json_string_value(json_object_get(annotations, ANNOTATION));
    json_t *metrics = text != NULL ? json_loads(text, 0, NULL) : NULL;
    if (json_is_array(metrics)) {
        json_object_del(annotations, ANNOTATION);
        return metrics;
    }
    json_decref(metrics);
    return json_array();
}

json_t *autoscaler_from_v1(const json_t *autoscaler)
{
    json_t *result = copy_with_version(autoscaler, "autoscaling/v2");
    json_t *spec = json_object_get(result, "spec");
    json_t *metrics = take_annotation(result), *share = json_object_get(spec, SHARE);
    if (json_is_integer(share))
        json_array_insert_new(metrics, 0,
                              json_pack("{s:s, s:{s:s, s:{s:s, s:O}}}", "type", "Resource",
                                        "resource", "name", "cpu", "target", "type", "Utilization",
                                        "averageUtilization", share));
    if (json_array_size(metrics) > 0)
        json_object_set(spec, "metrics", metrics);
    else if (json_is_null(share)) // a patch
        json_object_set(spec, "metrics", share);
    json_object_del(spec, SHARE);
    json_decref(metrics);
    return result;
}
