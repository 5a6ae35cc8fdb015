#include "sim/apiserver/api_metrics.h"

#include <string.h>

#include "base/memory.h"
#include "base/quantity.h"
#include "sim/apiserver/api_selector.h"
#include "sim/store/store_internal.h"
#include "sim/store/store_objects.h"
#include "sim/store/store_resources.h"

#define GROUP   "metrics.k8s.io"
#define VERSION "v1beta1"

static const char *const counted[] = {"cpu", "memory"};

struct usage {
    int64_t amounts[2]; // by `counted`
};

static void add_container(struct usage *usage, const json_t *container)
{
    const json_t *requests = store_path(container, "resources.requests");
    for (size_t i = 0; i < ARRAY_LENGTH(counted); i++) {
        const char *text = string_at(requests, counted[i]);
        int64_t amount;
        if (text != NULL && quantity_parse(counted[i], text, &amount, NULL))
            usage->amounts[i] = quantity_add(usage->amounts[i], amount);
    }
}

static json_t *usage_json(const struct usage *usage)
{
    json_t *json = json_object();
    for (size_t i = 0; i < ARRAY_LENGTH(counted); i++) {
        char text[QUANTITY_TEXT_MAX];
        quantity_format(counted[i], usage->amounts[i], text);
        json_object_set_new(json, counted[i], json_string(text));
    }
    return json;
}

static bool is_running(const json_t *pod)
{
    const char *phase = string_at(json_object_get(pod, "status"), "phase");
    return phase != NULL && strcmp(phase, "Running") == 0;
}

// --- the objects ---------------------------------------------------------------------------------

static json_t *metrics_of(struct api_call *call, const char *kind, const json_t *object)
{
    char now[40];
    json_t *metadata = json_pack("{s:s}", "name", store_name(object));
    static const char *const kept[] = {"namespace", "labels", "creationTimestamp"};
    for (size_t i = 0; i < ARRAY_LENGTH(kept); i++) {
        json_t *value = json_object_get(json_object_get(object, "metadata"), kept[i]);
        if (value != NULL)
            json_object_set(metadata, kept[i], value);
    }
    return json_pack("{s:s, s:s, s:o, s:s, s:s}", "kind", kind, "apiVersion", GROUP "/" VERSION,
                     "metadata", metadata, "timestamp", now_text(call->store, now), "window",
                     "15s");
}

static json_t *pod_metrics(struct api_call *call, const json_t *pod)
{
    json_t *metrics = metrics_of(call, "PodMetrics", pod), *containers = json_array();
    size_t i;
    json_t *container;
    json_array_foreach (store_path(pod, "spec.containers"), i, container) {
        struct usage usage = {0};
        add_container(&usage, container);
        json_array_append_new(containers,
                              json_pack("{s:s, s:o}", "name", string_at(container, "name"), "usage",
                                        usage_json(&usage)));
    }
    json_object_set_new(metrics, "containers", containers);
    return metrics;
}

struct node_pass {
    const char *node;
    struct usage usage;
};

static bool add_pod(void *context, json_t *pod)
{
    struct node_pass *pass = context;
    const char *node = string_at(json_object_get(pod, "spec"), "nodeName");
    size_t i;
    json_t *container;
    if (node == NULL || strcmp(node, pass->node) != 0 || !is_running(pod))
        return true;
    json_array_foreach (store_path(pod, "spec.containers"), i, container) {
        add_container(&pass->usage, container);
    }
    return true;
}

static json_t *node_metrics(struct api_call *call, const json_t *node)
{
    struct node_pass pass = {.node = store_name(node)};
    store_each(call->store, call->store->pods, NULL, add_pod, &pass);
    json_t *metrics = metrics_of(call, "NodeMetrics", node);
    json_object_set_new(metrics, "usage", usage_json(&pass.usage));
    return metrics;
}

// --- the call ------------------------------------------------------------------------------------

struct metrics_pass {
    struct api_call *call;
    const struct api_selector *selector;
    bool nodes;
    json_t *objects; // to be measured
};

static bool gather(void *context, json_t *object)
{
    struct metrics_pass *pass = context;
    if (api_selector_matches(pass->selector, object) && (pass->nodes || is_running(object)))
        json_array_append(pass->objects, object);
    return true;
}

static bool list_metrics(struct api_call *call, const struct store_resource *resource, bool nodes)
{
    struct api_selector *selector =
        api_selector_parse(call_query(call, "labelSelector"), NULL, resource, &call->failure);
    if (selector == NULL)
        return false;
    struct metrics_pass pass = {call, selector, nodes, json_array()};
    store_each(call->store, resource, call->path.namespace, gather, &pass);
    api_selector_destroy(selector);
    json_t *items = json_array();
    size_t i;
    json_t *object;
    json_array_foreach (pass.objects, i, object) {
        json_array_append_new(items,
                              nodes ? node_metrics(call, object) : pod_metrics(call, object));
    }
    json_decref(pass.objects);
    return answer_value(call, 200,
                        json_pack("{s:s, s:s, s:{}, s:o}", "kind",
                                  nodes ? "NodeMetricsList" : "PodMetricsList", "apiVersion",
                                  GROUP "/" VERSION, "metadata", "items", items));
}

bool call_metrics(struct api_call *call, bool *handled)
{
    const struct api_path *path = &call->path;
    bool nodes = strcmp(path->plural, "nodes") == 0, pods = strcmp(path->plural, "pods") == 0;
    *handled = strcmp(path->group, GROUP) == 0 && strcmp(path->version, VERSION) == 0 &&
               path->subresource == NULL && (nodes || pods);
    if (!*handled)
        return true;
    if (strcmp(call->request->method, "GET") != 0)
        return failure_set(&call->failure, 405, "MethodNotAllowed",
                           "the server does not allow this method on the requested resource");
    const struct store_resource *resource =
        store_resource_find(call->store, "", "v1", path->plural);
    if (path->name == NULL)
        return list_metrics(call, resource, nodes);
    json_t *object = store_get(call->store, resource, path->namespace, path->name);
    if (object == NULL)
        return failure_not_found(&call->failure, resource, path->name);
    return answer_value(call, 200, nodes ? node_metrics(call, object) : pod_metrics(call, object));
}
