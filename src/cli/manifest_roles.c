#include "cli/manifest_roles.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/chart_data.h"
#include "model/reading/settings_read.h"

#define RBAC_GROUP    "rbac.authorization.k8s.io"
#define RBAC          RBAC_GROUP "/v1"
#define AGGREGATE     RBAC_GROUP "/aggregate-to-"
#define NAME_SIZE_MAX 300

struct role {
    const char *name, *suffix; // in the table; of the object
    const char *namespace;     // NULL: of the cluster
};

json_t *manifest_labels(const struct manifest_options *options)
{
    return json_pack("{s:s, s:s}", "app.kubernetes.io/name", "adze", "app.kubernetes.io/instance",
                     options->name);
}

json_t *manifest_object(const struct manifest_options *options, const char *api_version,
                        const char *kind, const char *name, const char *namespace)
{
    json_t *object = json_pack("{s:s, s:s, s:{s:s}}", "apiVersion", api_version, "kind", kind,
                               "metadata", "name", name);
    json_t *metadata = json_object_get(object, "metadata");
    if (namespace != NULL)
        json_object_set_new(metadata, "namespace", json_string(namespace));
    json_object_set_new(metadata, "labels", manifest_labels(options));
    return object;
}

// --- which rules apply ---------------------------------------------------------------------------

static bool feature_in_use(const struct manifest_options *options, const char *feature)
{
    const struct settings *settings = options->settings;
    bool adze = !settings->compatibility_upstream;
    const struct {
        const char *name;
        bool in_use;
    } features[] = {
        {"nodeOverlay", settings->gate_node_overlay},
        {"capacityBuffer", settings->gate_capacity_buffer},
        {"dra", !settings->ignore_dra_requests},
        {"adze", adze},
        {"nomination", adze && settings->pod_nomination},
        {"cpuUse", adze && !settings_given(settings, "EXPECTED_CPU_USE")},
        {"leaderElection", !settings->disable_leader_election},
    };
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        if (strcmp(features[i].name, feature) == 0)
            return features[i].in_use;
    return strcmp(feature, options->provider) == 0;
}

static bool rule_applies(const struct manifest_options *options, const json_t *rule,
                         const char *role)
{
    size_t index;
    json_t *feature;
    json_array_foreach (json_object_get(rule, "when"), index, feature)
        if (!feature_in_use(options, json_string_value(feature)))
            return false;
    return strcmp(json_string_value(json_object_get(rule, "role")), role) == 0;
}

static json_t *rule_of(const struct manifest_options *options, const json_t *rule)
{
    json_t *result = json_deep_copy(rule), *names = json_object_get(result, "resourceNames");
    json_object_del(result, "role");
    json_object_del(result, "when");
    for (size_t i = 0; i < json_array_size(names); i++)
        if (strcmp(json_string_value(json_array_get(names, i)), "LEASE") == 0)
            json_array_set_new(names, i, json_string(options->settings->leader_election_name));
    return result;
}

static json_t *rules_of(const struct manifest_options *options, const char *role)
{
    json_t *permissions = chart_permissions(), *rules = json_array(), *rule;
    size_t index;
    json_array_foreach (json_object_get(permissions, "rules"), index, rule)
        if (rule_applies(options, rule, role))
            json_array_append_new(rules, rule_of(options, rule));
    json_decref(permissions);
    return rules;
}

// --- roles and bindings --------------------------------------------------------------------------

static json_t *add_role(const struct manifest_options *options, json_t *objects,
                        const struct role *role)
{
    const char *kind = role->namespace == NULL ? "ClusterRole" : "Role";
    char name[NAME_SIZE_MAX];
    snprintf(name, sizeof name, "%s%s", options->name, role->suffix);
    json_t *object = manifest_object(options, RBAC, kind, name, role->namespace);
    json_object_set_new(object, "rules", rules_of(options, role->name));
    if (json_array_size(json_object_get(object, "rules")) == 0) {
        json_decref(object);
        return NULL;
    }
    json_array_append_new(objects, object);
    return object;
}

static void add_bound_role(const struct manifest_options *options, json_t *objects,
                           const struct role *role)
{
    const json_t *object = add_role(options, objects, role);
    if (object == NULL)
        return;
    const char *kind = json_string_value(json_object_get(object, "kind"));
    const char *name =
        json_string_value(json_object_get(json_object_get(object, "metadata"), "name"));
    char binding_kind[40];
    snprintf(binding_kind, sizeof binding_kind, "%sBinding", kind);
    json_t *binding = manifest_object(options, RBAC, binding_kind, name, role->namespace);
    json_object_set_new(
        binding, "roleRef",
        json_pack("{s:s, s:s, s:s}", "apiGroup", RBAC_GROUP, "kind", kind, "name", name));
    json_object_set_new(binding, "subjects",
                        json_pack("[{s:s, s:s, s:s}]", "kind", "ServiceAccount", "name",
                                  options->name, "namespace", options->namespace));
    json_array_append_new(objects, binding);
}

// For people: the cluster's own roles take it up (API-222, API-612).
static void add_aggregated_role(const struct manifest_options *options, json_t *objects,
                                const struct role *role, const char *const *into)
{
    json_t *metadata = json_object_get(add_role(options, objects, role), "metadata");
    for (; *into != NULL; into++)
        json_object_set_new(json_object_get(metadata, "labels"), *into, json_string("true"));
}

void manifest_roles_add(const struct manifest_options *options, json_t *objects)
{
    const char *lease_namespace = options->settings->leader_election_namespace;
    const struct role roles[] = {
        {"core", "-core", NULL},
        {"provider", "", NULL},
        {"own", "", text_is_empty(lease_namespace) ? options->namespace : lease_namespace},
        {"dns", "-dns", "kube-system"},
    };
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        add_bound_role(options, objects, &roles[i]);
    add_aggregated_role(options, objects, &(struct role){"admin", "-admin", NULL},
                        (const char *const[]){AGGREGATE "admin", AGGREGATE "edit", NULL});
    add_aggregated_role(options, objects, &(struct role){"view", "-view", NULL},
                        (const char *const[]){AGGREGATE "view", NULL});
}
