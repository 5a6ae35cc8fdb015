#include "conformance/aws/replay_objects.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "sim/store/store_json.h"

#define PATH_MAX_BYTES 700

static const char *const api_versions[][2] = {
    {"EC2NodeClass", "karpenter.k8s.aws/v1"},
    {"NodePool", "karpenter.sh/v1"},
    {"NodeClaim", "karpenter.sh/v1"},
    {"NodeOverlay", "karpenter.sh/v1alpha1"},
    {"Node", "v1"},
    {"Pod", "v1"},
    {"Event", "v1"},
};

static const struct store_resource *resource_of(struct simulation *simulation, const char *kind)
{
    struct store *store = simulation_store(simulation);
    for (size_t i = 0; i < sizeof api_versions / sizeof api_versions[0]; i++)
        if (text_equal(api_versions[i][0], kind))
            return store_resource_of_kind(store, api_versions[i][1], kind);
    return NULL;
}

static void path_of(char path[PATH_MAX_BYTES], const struct store_resource *resource,
                    const char *namespace, const char *name)
{
    bool core = *resource->group == '\0', spaced = resource->namespaced;
    snprintf(path, PATH_MAX_BYTES, "%s%s/%s%s%s/%s%s%s", core ? "/api" : "/apis/", resource->group,
             resource->version, spaced ? "/namespaces/" : "", spaced ? namespace : "",
             resource->plural, *name != '\0' ? "/" : "", name);
}

// Keeps the refusal, if the answer is one.
static bool accepted(const struct api_response *response, const char *kind, json_t **refusal)
{
    if (response->status < 300)
        return true;
    const char *message = json_string_value(json_object_get(response->body, "message"));
    if (refusal != NULL && *refusal == NULL)
        *refusal = json_pack("{s:i, s:s, s:s}", "code", response->status, "message",
                             message != NULL ? message : "", "object", kind);
    return false;
}

static bool call(struct simulation *simulation, const struct api_request *request, const char *kind,
                 json_t **refusal)
{
    struct api_response response = {0};
    api_handle(simulation_api(simulation), request, &response);
    bool done = accepted(&response, kind, refusal);
    api_response_clear(&response);
    return done;
}

bool objects_create(struct simulation *simulation, const json_t *object, json_t **refusal)
{
    char path[PATH_MAX_BYTES];
    const char *version = json_string_value(json_object_get(object, "apiVersion"));
    const char *kind = json_string_value(json_object_get(object, "kind"));
    const struct store_resource *resource =
        version != NULL && kind != NULL
            ? store_resource_of_kind(simulation_store(simulation), version, kind)
            : NULL;
    if (resource == NULL) {
        if (refusal != NULL && *refusal == NULL)
            *refusal = json_pack("{s:i, s:s, s:s}", "code", 404, "message", "unknown kind",
                                 "object", kind != NULL ? kind : "");
        return false;
    }
    const char *namespace = store_namespace(object);
    path_of(path, resource, *namespace != '\0' ? namespace : "default", "");
    json_t *body = json_deep_copy(object);
    bool done =
        call(simulation, &(struct api_request){.method = "POST", .path = path, .body = body}, kind,
             refusal);
    json_decref(body);
    return done;
}

bool objects_patch(struct simulation *simulation, const char *kind, const char *name, json_t *patch,
                   json_t **refusal)
{
    char path[PATH_MAX_BYTES];
    path_of(path, resource_of(simulation, kind), "", name);
    return call(simulation,
                &(struct api_request){.method = "PATCH",
                                      .path = path,
                                      .content_type = "application/merge-patch+json",
                                      .body = patch},
                kind, refusal);
}

static bool note_name(void *context, json_t *object)
{
    json_array_append_new(context,
                          json_pack("[s, s]", store_namespace(object), store_name(object)));
    return true;
}

void objects_delete_all(struct simulation *simulation, const char *kind)
{
    const struct store_resource *resource = resource_of(simulation, kind);
    json_t *names = json_array(), *name;
    size_t i;
    store_each(simulation_store(simulation), resource, NULL, note_name, names);
    json_array_foreach (names, i, name) {
        char path[PATH_MAX_BYTES];
        path_of(path, resource, json_string_value(json_array_get(name, 0)),
                json_string_value(json_array_get(name, 1)));
        call(
            simulation,
            &(struct api_request){.method = "DELETE",
                                  .path = path,
                                  .query = text_equal(kind, "Pod") ? "gracePeriodSeconds=0" : NULL},
            kind, NULL);
    }
    json_decref(names);
}

json_t *objects_get(struct simulation *simulation, const char *kind, const char *name)
{
    return store_get(simulation_store(simulation), resource_of(simulation, kind), NULL, name);
}

uint32_t objects_count(struct simulation *simulation, const char *kind)
{
    return store_count(simulation_store(simulation), resource_of(simulation, kind));
}

const char *condition_status(const json_t *object, const char *type)
{
    json_t *condition;
    size_t i;
    json_array_foreach (store_path(object, "status.conditions"), i, condition) {
        const char *have = json_string_value(json_object_get(condition, "type"));
        const char *status = json_string_value(json_object_get(condition, "status"));
        if (have != NULL && status != NULL && text_equal(have, type))
            return status;
    }
    return "";
}

struct condition_look {
    const char *type;
    bool missing;
};

static bool look_at_condition(void *context, json_t *object)
{
    struct condition_look *look = context;
    look->missing = !text_equal(condition_status(object, look->type), "True");
    return !look->missing;
}

bool objects_all_are(struct simulation *simulation, const char *kind, const char *condition)
{
    struct condition_look look = {.type = condition};
    store_each(simulation_store(simulation), resource_of(simulation, kind), NULL, look_at_condition,
               &look);
    return !look.missing;
}

json_t *scenario_pod(const json_t *abridged, const char *node_pool, size_t number)
{
    char name[40];
    snprintf(name, sizeof name, "pod-%zu", number);
    json_t *requests = json_object_get(abridged, "requests");
    json_t *resources = requests != NULL
                            ? json_pack("{s:O}", "requests", requests)
                            : json_pack("{s:{s:s, s:s}}", "requests", "cpu", "1", "memory", "1Gi");
    json_t *limits = json_object_get(abridged, "limits");
    if (limits != NULL)
        json_object_set(resources, "limits", limits);
    json_t *selector = json_pack("{s:s}", "karpenter.sh/nodepool", node_pool);
    json_object_update(selector, json_object_get(abridged, "nodeSelector"));
    json_t *spec = json_pack("{s:i, s:o, s:[{s:s, s:s, s:o}]}", "terminationGracePeriodSeconds", 0,
                             "nodeSelector", selector, "containers", "name", "main", "image",
                             "pause", "resources", resources);
    json_t *tolerations = json_object_get(abridged, "tolerations");
    if (tolerations != NULL)
        json_object_set(spec, "tolerations", tolerations);
    return json_pack("{s:s, s:s, s:{s:s, s:s}, s:o}", "apiVersion", "v1", "kind", "Pod", "metadata",
                     "name", name, "namespace", "default", "spec", spec);
}

json_t *dns_service(const char *address)
{
    return json_pack("{s:s, s:s, s:{s:s, s:s}, s:{s:s, s:[s], s:[{s:s, s:i, s:s}]}}", "apiVersion",
                     "v1", "kind", "Service", "metadata", "name", "kube-dns", "namespace",
                     "kube-system", "spec", "clusterIP", address, "clusterIPs", address, "ports",
                     "name", "dns", "port", 53, "protocol", "UDP");
}

static bool note_event(void *context, json_t *event)
{
    const json_t *about = json_object_get(event, "involvedObject");
    const char *kind = json_string_value(json_object_get(about, "kind"));
    if (kind != NULL && !text_equal(kind, "Pod"))
        json_array_append_new(context,
                              json_pack("[s, s*, s*, s*, s*]", kind,
                                        json_string_value(json_object_get(about, "name")),
                                        json_string_value(json_object_get(event, "type")),
                                        json_string_value(json_object_get(event, "reason")),
                                        json_string_value(json_object_get(event, "message"))));
    return true;
}

json_t *objects_events(struct simulation *simulation)
{
    json_t *events = json_array();
    store_each(simulation_store(simulation), resource_of(simulation, "Event"), NULL, note_event,
               events);
    return events;
}
