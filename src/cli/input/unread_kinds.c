#include "cli/input/unread_kinds.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define DEPTH_MAX 16

static const struct {
    const char *group, *kind; // group NULL: any
    const char *cause;
    bool relevant;
} table[] = {
    {"batch", "CronJob", "the pods of its Jobs are not planned", true},
    {"argoproj.io", "Rollout", "its pods are not planned (those of a Deployment are)", true},
    {"argoproj.io", "AnalysisTemplate", NULL, false}, // its Jobs are short
    {"argoproj.io", "Application", "what it installs is not known here", true},
    {"argoproj.io", "ApplicationSet", "what it installs is not known here", true},
    {"helm.toolkit.fluxcd.io", "HelmRelease", "what it installs is not known here", true},
    {"kustomize.toolkit.fluxcd.io", "Kustomization", "what it installs is not known here", true},
    {"kustomize.config.k8s.io", "Kustomization",
     "it is not applied: `kubectl kustomize` prints what it makes", true},
    {"keda.sh", "ScaledJob", "the pods of its Jobs are not planned", true},
    {"autoscaling", "HorizontalPodAutoscaler",
     "as many pods are planned as the workload's replicas say", false},
    {"keda.sh", "ScaledObject", "as many pods are planned as the workload's replicas say", false},
    {"autoscaling.k8s.io", "VerticalPodAutoscaler",
     "pods are planned with the requests of their manifests", false},
    {NULL, "ResourceQuota", "pods that it would refuse are planned all the same", false},
    {"node.k8s.io", "RuntimeClass", "its overhead and node selector are not added to pods", true},
    {"admissionregistration.k8s.io", "MutatingWebhookConfiguration",
     "what it would change in pods is not known here", false},
    {"admissionregistration.k8s.io", "MutatingAdmissionPolicy",
     "what it would change in pods is not known here", false},
    {"cluster.x-k8s.io", "MachineDeployment", "its machines are not known as nodes", true},
    {"cluster.x-k8s.io", "MachinePool", "its machines are not known as nodes", true},
    {"cluster.x-k8s.io", "MachineSet", "its machines are not known as nodes", true},
};

static const json_t *at(const json_t *object, const char *a, const char *b)
{
    return json_object_get(json_object_get(object, a), b);
}

// --- pod templates -------------------------------------------------------------------------------

static bool has_containers(const json_t *object)
{
    const json_t *first = json_array_get(json_object_get(object, "containers"), 0);
    return json_is_string(json_object_get(first, "image")) ||
           (json_is_string(json_object_get(first, "name")) &&
            json_is_object(json_object_get(first, "resources")));
}

static bool has_pods(const json_t *value, int depth)
{
    size_t i;
    const char *key;
    json_t *inner;
    if (depth == DEPTH_MAX)
        return false;
    json_array_foreach ((json_t *)value, i, inner)
        if (has_pods(inner, depth + 1))
            return true;
    if (!json_is_object(value))
        return false;
    if (has_containers(value))
        return true;
    json_object_foreach ((json_t *)value, key, inner)
        if (has_pods(inner, depth + 1))
            return true;
    return false;
}

// --- figures -------------------------------------------------------------------------------------

static void add_range(const json_t *spec, const char *least, const char *most, struct text *note)
{
    const json_t *from = json_object_get(spec, least), *to = json_object_get(spec, most);
    if (json_is_integer(to))
        text_format(note, "%lld to %lld", json_is_integer(from) ? json_integer_value(from) : 1LL,
                    json_integer_value(to));
}

static void add_note(const json_t *document, const char *kind, struct text *note)
{
    const json_t *spec = json_object_get(document, "spec");
    const json_t *schedule = json_object_get(spec, "schedule");
    if (strcmp(kind, "HorizontalPodAutoscaler") == 0)
        add_range(spec, "minReplicas", "maxReplicas", note);
    else if (strcmp(kind, "ScaledObject") == 0)
        add_range(spec, "minReplicaCount", "maxReplicaCount", note);
    else if (strcmp(kind, "CronJob") == 0 && json_is_string(schedule))
        text_format(note, "%.40s", json_string_value(schedule));
    else if (strcmp(kind, "Rollout") == 0 && json_is_integer(json_object_get(spec, "replicas")))
        text_format(note, "replicas: %lld", json_integer_value(json_object_get(spec, "replicas")));
}

// A RuntimeClass that only names its handler changes no pod.
static bool is_idle(const json_t *document, const char *kind)
{
    return strcmp(kind, "RuntimeClass") == 0 && at(document, "overhead", "podFixed") == NULL &&
           json_object_get(document, "scheduling") == NULL;
}

static bool is_in_group(const char *api_version, const char *group)
{
    size_t length = group != NULL ? strlen(group) : 0;
    return group == NULL ||
           (strncmp(api_version, group, length) == 0 && api_version[length] == '/');
}

const char *unread_kind_cause(const json_t *document, bool *relevant, struct text *note)
{
    const char *kind = text_or_empty(json_string_value(json_object_get(document, "kind")));
    const char *version = text_or_empty(json_string_value(json_object_get(document, "apiVersion")));
    *relevant = false;
    for (size_t i = 0; i < ARRAY_LENGTH(table); i++) {
        if (strcmp(table[i].kind, kind) != 0 || !is_in_group(version, table[i].group))
            continue;
        if (is_idle(document, kind))
            return NULL;
        add_note(document, kind, note);
        *relevant = table[i].relevant;
        return table[i].cause;
    }
    if (strcmp(kind, "CustomResourceDefinition") == 0 || !has_pods(document, 0))
        return NULL;
    *relevant = true;
    return "it has containers, and its pods are not planned";
}
