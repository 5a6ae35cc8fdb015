#include "sim/apiserver/discovery.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sim/apiserver/openapi.h"
#include "sim/store/store_internal.h"

#define OPENAPI_V2_PROTOBUF   "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
#define AGGREGATED_MEDIA_TYPE "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// --- served beside the store's resources ---------------------------------------------------------

static const char *const event_short_names[] = {"ev", NULL};
static const char *const autoscaler_short_names[] = {"hpa", NULL};
static const struct store_resource extra_resources[] = {
    {"events.k8s.io", "v1", "Event", "EventList", "events", "event", event_short_names, NULL, true,
     false, false, false},
    {"autoscaling", "v1", "HorizontalPodAutoscaler", "HorizontalPodAutoscalerList",
     "horizontalpodautoscalers", "horizontalpodautoscaler", autoscaler_short_names, NULL, true,
     true, false, false},
    {"authorization.k8s.io", "v1", "SelfSubjectAccessReview", NULL, "selfsubjectaccessreviews",
     "selfsubjectaccessreview", NULL, NULL, false, false, false, false},
    {"authorization.k8s.io", "v1", "SelfSubjectRulesReview", NULL, "selfsubjectrulesreviews",
     "selfsubjectrulesreview", NULL, NULL, false, false, false, false},
    {"authorization.k8s.io", "v1", "SubjectAccessReview", NULL, "subjectaccessreviews",
     "subjectaccessreview", NULL, NULL, false, false, false, false},
    {"authorization.k8s.io", "v1", "LocalSubjectAccessReview", NULL, "localsubjectaccessreviews",
     "localsubjectaccessreview", NULL, NULL, true, false, false, false},
    {"authentication.k8s.io", "v1", "TokenReview", NULL, "tokenreviews", "tokenreview", NULL, NULL,
     false, false, false, false},
    {"authentication.k8s.io", "v1", "SelfSubjectReview", NULL, "selfsubjectreviews",
     "selfsubjectreview", NULL, NULL, false, false, false, false},
    {"metrics.k8s.io", "v1beta1", "NodeMetrics", "NodeMetricsList", "nodes", "", NULL, NULL, false,
     false, false, false},
    {"metrics.k8s.io", "v1beta1", "PodMetrics", "PodMetricsList", "pods", "", NULL, NULL, true,
     false, false, false},
    {"", "v1", "Binding", NULL, "bindings", "binding", NULL, NULL, true, false, false, false},
};

static const struct store_resource *served_at(const struct store *store, uint32_t position)
{
    uint32_t count;
    const struct store_resource *resources = store_resources(store, &count);
    for (uint32_t i = 0; i < count; i++)
        if (!resources[i].withdrawn && position-- == 0)
            return &resources[i];
    return position < ARRAY_LENGTH(extra_resources) ? &extra_resources[position] : NULL;
}

struct subresource {
    const char *name, *group, *version, *kind, *verbs;
};

// The subresource of a resource at `position`; false beyond the last.
static bool subresource_at(const struct store_resource *resource, uint32_t position,
                           struct subresource *out)
{
    bool core = resource->group[0] == '\0';
    bool pods = core && strcmp(resource->plural, "pods") == 0;
    bool accounts = core && strcmp(resource->plural, "serviceaccounts") == 0;
    const struct {
        bool there;
        struct subresource subresource;
    } all[] = {
        {resource->status_subresource,
         {"status", resource->group, resource->version, resource->kind, "get patch update"}},
        {resource->scale_subresource, {"scale", "autoscaling", "v1", "Scale", "get patch update"}},
        {pods, {"binding", "", "v1", "Binding", "create"}},
        {pods, {"eviction", "policy", "v1", "Eviction", "create"}},
        {pods, {"log", "", "v1", "Pod", "get"}},
        {accounts, {"token", "authentication.k8s.io", "v1", "TokenRequest", "create"}},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(all); i++)
        if (all[i].there && position-- == 0) {
            *out = all[i].subresource;
            return true;
        }
    return false;
}

static json_t *words(const char *text)
{
    json_t *list = json_array();
    while (text[0] != '\0') {
        size_t length = strcspn(text, " ");
        json_array_append_new(list, json_stringn(text, length));
        text += length;
        text += strspn(text, " ");
    }
    return list;
}

static json_t *verbs_of(const struct store_resource *resource)
{
    if (resource->list_kind == NULL)
        return words("create");
    if (strcmp(resource->group, "metrics.k8s.io") == 0)
        return words("get list");
    bool namespaces = resource->group[0] == '\0' && strcmp(resource->plural, "namespaces") == 0;
    return words(namespaces ? "create delete get list patch update watch"
                            : "create delete deletecollection get list patch update watch");
}

static void set_list(json_t *object, const char *key, const char *const *list)
{
    if (list == NULL)
        return;
    json_t *array = json_array();
    for (; *list != NULL; list++)
        json_array_append_new(array, json_string(*list));
    json_object_set_new(object, key, array);
}

// --- legacy discovery ----------------------------------------------------------------------------

static json_t *group_version_text(const char *group, const char *version)
{
    return json_sprintf("%s%s%s", group, group[0] != '\0' ? "/" : "", version);
}

static void add_legacy_resource(json_t *list, const struct store_resource *resource)
{
    json_t *row = json_pack("{s:s, s:s, s:b, s:s, s:o}", "name", resource->plural, "singularName",
                            resource->singular, "namespaced", resource->namespaced, "kind",
                            resource->kind, "verbs", verbs_of(resource));
    set_list(row, "shortNames", resource->short_names);
    set_list(row, "categories", resource->categories);
    json_array_append_new(list, row);
    struct subresource sub;
    for (uint32_t i = 0; subresource_at(resource, i, &sub); i++) {
        json_t *name = json_sprintf("%s/%s", resource->plural, sub.name);
        json_array_append_new(
            list, json_pack("{s:o, s:s, s:b, s:s, s:s, s:s, s:o}", "name", name, "singularName", "",
                            "namespaced", resource->namespaced, "group", sub.group, "version",
                            sub.version, "kind", sub.kind, "verbs", words(sub.verbs)));
    }
}

static json_t *legacy_resources(struct store *store, const char *group, const char *version)
{
    json_t *list = json_array();
    const struct store_resource *resource;
    for (uint32_t i = 0; (resource = served_at(store, i)) != NULL; i++)
        if (strcmp(resource->group, group) == 0 && strcmp(resource->version, version) == 0)
            add_legacy_resource(list, resource);
    if (json_array_size(list) == 0) {
        json_decref(list);
        return NULL;
    }
    return json_pack("{s:s, s:s, s:o, s:o}", "kind", "APIResourceList", "apiVersion", "v1",
                     "groupVersion", group_version_text(group, version), "resources", list);
}

static bool has_version(const json_t *versions, const char *version)
{
    size_t i;
    json_t *entry;
    json_array_foreach (versions, i, entry) {
        if (strcmp(string_at(entry, "version"), version) == 0)
            return true;
    }
    return false;
}

// The versions of a group in order of registration; the first is preferred.
static json_t *legacy_group(struct store *store, const char *group)
{
    json_t *versions = json_array();
    const struct store_resource *resource;
    for (uint32_t i = 0; (resource = served_at(store, i)) != NULL; i++)
        if (strcmp(resource->group, group) == 0 && !has_version(versions, resource->version))
            json_array_append_new(versions, json_pack("{s:o, s:s}", "groupVersion",
                                                      group_version_text(group, resource->version),
                                                      "version", resource->version));
    if (json_array_size(versions) == 0) {
        json_decref(versions);
        return NULL;
    }
    return json_pack("{s:s, s:o, s:O}", "name", group, "versions", versions, "preferredVersion",
                     json_array_get(versions, 0));
}

// The names of the groups in order of registration, without the core group.
static json_t *group_names(struct store *store)
{
    json_t *names = json_object();
    const struct store_resource *resource;
    for (uint32_t i = 0; (resource = served_at(store, i)) != NULL; i++)
        if (resource->group[0] != '\0')
            json_object_set_new(names, resource->group, json_null());
    return names;
}

static json_t *legacy_groups(struct store *store)
{
    json_t *groups = json_array();
    json_t *names = group_names(store);
    const char *name;
    json_t *unused;
    json_object_foreach (names, name, unused) {
        json_array_append_new(groups, legacy_group(store, name));
    }
    json_decref(names);
    return json_pack("{s:s, s:s, s:o}", "kind", "APIGroupList", "apiVersion", "v1", "groups",
                     groups);
}

// --- aggregated discovery ------------------------------------------------------------------------

static json_t *aggregated_resource(const struct store_resource *resource)
{
    json_t *subresources = json_array();
    struct subresource sub;
    for (uint32_t i = 0; subresource_at(resource, i, &sub); i++)
        json_array_append_new(subresources,
                              json_pack("{s:s, s:{s:s, s:s, s:s}, s:o}", "subresource", sub.name,
                                        "responseKind", "group", sub.group, "version", sub.version,
                                        "kind", sub.kind, "verbs", words(sub.verbs)));
    json_t *row =
        json_pack("{s:s, s:{s:s, s:s, s:s}, s:s, s:s, s:o, s:o}", "resource", resource->plural,
                  "responseKind", "group", resource->group, "version", resource->version, "kind",
                  resource->kind, "scope", resource->namespaced ? "Namespaced" : "Cluster",
                  "singularResource", resource->singular, "verbs", verbs_of(resource),
                  "subresources", subresources);
    set_list(row, "shortNames", resource->short_names);
    set_list(row, "categories", resource->categories);
    return row;
}

static json_t *aggregated_group(struct store *store, const char *group)
{
    json_t *versions = json_array();
    const struct store_resource *resource;
    for (uint32_t i = 0; (resource = served_at(store, i)) != NULL; i++) {
        if (strcmp(resource->group, group) != 0)
            continue;
        if (!has_version(versions, resource->version))
            json_array_append_new(versions,
                                  json_pack("{s:s, s:[], s:s}", "version", resource->version,
                                            "resources", "freshness", "Current"));
        size_t v;
        json_t *version;
        json_array_foreach (versions, v, version) {
            if (strcmp(string_at(version, "version"), resource->version) == 0)
                json_array_append_new(json_object_get(version, "resources"),
                                      aggregated_resource(resource));
        }
    }
    return json_pack("{s:{s:s}, s:o}", "metadata", "name", group, "versions", versions);
}

static json_t *aggregated(struct store *store, bool core)
{
    json_t *items = json_array();
    json_t *names = core ? json_pack("{s:n}", "") : group_names(store);
    const char *name;
    json_t *unused;
    json_object_foreach (names, name, unused) {
        json_array_append_new(items, aggregated_group(store, name));
    }
    json_decref(names);
    return json_pack("{s:s, s:s, s:{}, s:o}", "kind", "APIGroupDiscoveryList", "apiVersion",
                     "apidiscovery.k8s.io/v2", "metadata", "items", items);
}

// --- paths ---------------------------------------------------------------------------------------

static json_t *version_body(void)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "major", "1", "minor", "36",
                     "gitVersion", "v1.36.0+adze-" ADZE_VERSION, "gitCommit", "", "gitTreeState",
                     "clean", "buildDate", "2026-01-01T00:00:00Z", "goVersion", "none", "compiler",
                     "cc", "platform", "linux/amd64");
}

static json_t *core_versions(void)
{
    return json_pack("{s:s, s:s, s:[s], s:[{s:s, s:s}]}", "kind", "APIVersions", "apiVersion", "v1",
                     "versions", "v1", "serverAddressByClientCIDRs", "clientCIDR", "0.0.0.0/0",
                     "serverAddress", "127.0.0.1");
}

// "apps" or "apps/v1" below a prefix; false if it is neither.
static bool split_group_version(const char *text, char group[256], char version[64])
{
    size_t length = strcspn(text, "/");
    if (length == 0 || length >= 256)
        return false;
    memcpy(group, text, length);
    group[length] = '\0';
    version[0] = '\0';
    if (text[length] == '\0')
        return true;
    text += length + 1;
    length = strcspn(text, "/");
    if (length == 0 || length >= 64 || text[length] != '\0')
        return false;
    memcpy(version, text, length + 1);
    return true;
}

static json_t *below_apis(struct store *store, const char *rest)
{
    char group[256], version[64];
    if (!split_group_version(rest, group, version))
        return NULL;
    if (version[0] != '\0')
        return legacy_resources(store, group, version);
    json_t *body = legacy_group(store, group);
    if (body != NULL) {
        json_object_set_new(body, "kind", json_string("APIGroup"));
        json_object_set_new(body, "apiVersion", json_string("v1"));
    }
    return body;
}

static json_t *below_openapi(struct store *store, const char *rest)
{
    char group[256], version[64];
    if (rest[0] == '\0')
        return openapi_v3_index(store);
    if (strcmp(rest, "/api/v1") == 0)
        return openapi_v3(store, "", "v1");
    if (text_starts_with(rest, "/apis/") && split_group_version(rest + 6, group, version))
        return openapi_v3(store, group, version);
    return NULL;
}

bool discovery_answer(struct store *store, const char *path, const char *accept, json_t **body,
                      const char **content_type, char **text)
{
    static const char *const health[] = {"/healthz", "/livez", "/readyz"};
    CLEANUP_FREE char *trimmed = memory_copy_string(path);
    size_t length = strlen(trimmed);
    if (length > 1 && trimmed[length - 1] == '/')
        trimmed[length - 1] = '\0';
    for (size_t i = 0; i < ARRAY_LENGTH(health); i++)
        if (strcmp(trimmed, health[i]) == 0) {
            *text = memory_copy_string("ok");
            return true;
        }
    bool aggregate = accept != NULL && strstr(accept, "as=APIGroupDiscoveryList") != NULL &&
                     strstr(accept, "v=v2;") != NULL;
    bool is_core = strcmp(trimmed, "/api") == 0, is_groups = strcmp(trimmed, "/apis") == 0;
    if (aggregate && (is_core || is_groups)) {
        *body = aggregated(store, is_core);
        *content_type = AGGREGATED_MEDIA_TYPE;
    } else if (is_core) {
        *body = core_versions();
    } else if (is_groups) {
        *body = legacy_groups(store);
    } else if (strcmp(trimmed, "/api/v1") == 0) {
        *body = legacy_resources(store, "", "v1");
    } else if (text_starts_with(trimmed, "/apis/")) {
        *body = below_apis(store, trimmed + 6);
    } else if (strcmp(trimmed, "/version") == 0) {
        *body = version_body();
    } else if (strcmp(trimmed, "/openapi/v2") == 0 && accept != NULL &&
               strstr(accept, "proto-openapi") != NULL) {
        *text = openapi_v2_protobuf();
        *content_type = OPENAPI_V2_PROTOBUF;
    } else if (strcmp(trimmed, "/openapi/v2") == 0) {
        *body = openapi_v2();
    } else if (text_starts_with(trimmed, "/openapi/v3")) {
        *body = below_openapi(store, trimmed + 11);
    } else if (strcmp(trimmed, "/") == 0) {
        *body = json_pack("{s:[s, s, s, s, s, s, s, s]}", "paths", "/api", "/apis", "/healthz",
                          "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version");
    }
    return *body != NULL || *text != NULL;
}
