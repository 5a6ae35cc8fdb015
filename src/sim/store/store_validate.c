#include "sim/store/store_validate.h"

#include <stdlib.h>
#include <string.h>

#include "base/cron.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/text.h"
#include "model/validate/validate.h"
#include "sim/store/custom_schema.h"
#include "sim/store/resources.h"
#include "sim/store/store_internal.h"

// --- custom kinds --------------------------------------------------------------------------------

static void add_warnings(const struct findings *findings, json_t *warnings)
{
    for (uint32_t i = 0; warnings != NULL && i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        if (finding->level != FINDING_WARNING)
            continue;
        struct text text = {0};
        text_format(&text, "%s%s%s", finding->path, finding->path[0] != '\0' ? ": " : "",
                    finding->message);
        json_array_append_new(warnings, json_string(text.data));
        text_free(&text);
    }
}

static void refuse(const struct findings *findings, const struct store_resource *resource,
                   const char *name, struct failure *failure)
{
    struct field_errors errors = {0};
    for (uint32_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->items[i];
        if (finding->level == FINDING_REFUSED)
            field_errors_add_ready(&errors, "FieldValueInvalid", finding->path, finding->message);
    }
    bool good = field_errors_finish(&errors, resource, name, failure);
    if (good)
        failure_set(failure, 422, "Invalid", "%s \"%s\" is invalid", resource->kind, name);
}

// The tables contain API fields only: restores the store's own fields (uid, resourceVersion, ...).
static void put_metadata_back(json_t *stored, const json_t *object)
{
    json_t *metadata = json_object_get(object, "metadata");
    json_object_set(stored, "metadata", metadata);
}

static bool validate_custom(const struct kind *kind, const struct store_resource *resource,
                            struct store_draft *draft, struct failure *failure)
{
    struct validate_options options = {
        .core = false,
        .lenient = draft->options->lenient,
        .status_written = text_equal(draft->subresource, "status"),
    };
    struct findings findings = {0};
    json_t *stored = NULL;
    bool admitted = validate_object(kind, draft->object, draft->old, &options, &findings, &stored);
    add_warnings(&findings, draft->options->warnings);
    if (admitted && stored != NULL) {
        put_metadata_back(stored, draft->object);
        json_decref(draft->object);
        draft->object = stored;
    } else {
        refuse(&findings, resource, store_name(draft->object), failure);
        json_decref(stored);
    }
    findings_free(&findings);
    return admitted && stored != NULL;
}

// Kinds that were defined at run time. A status is not checked.
static bool validate_defined(const struct store_resource *resource, struct store_draft *draft,
                             struct failure *failure)
{
    const json_t *schema = custom_schema_of(resource->definition);
    if (schema == NULL || draft->subresource != NULL)
        return true;
    json_t *object = json_deep_copy(draft->object), *unknown = json_array();
    json_decref(draft->object);
    draft->object = object;
    custom_schema_complete(schema, object, unknown);
    struct text text = {0};
    size_t i;
    json_t *path;
    json_array_foreach (unknown, i, path) {
        text_join(&text, ", ", "");
        text_format(&text, "unknown field \"%s\"", json_string_value(path));
        if (draft->options->lenient && draft->options->warnings != NULL)
            json_array_append_new(draft->options->warnings,
                                  json_sprintf("unknown field \"%s\"", json_string_value(path)));
    }
    json_decref(unknown);
    bool good =
        text.length == 0 || draft->options->lenient ||
        failure_bad_request(
            failure, "%s in version \"%s\" cannot be handled as a %s: strict decoding error: %s",
            resource->kind, resource->version, resource->kind, text.data);
    text_free(&text);
    struct field_errors errors = {0};
    if (!good)
        return false;
    custom_schema_check(schema, object, &errors);
    return field_errors_finish(&errors, resource, store_name(object), failure);
}

// --- built-in kinds ------------------------------------------------------------------------------

static void check_quantities(const json_t *list, const char *field, struct field_errors *errors)
{
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)list, name, value) {
        struct text path = {0};
        text_format(&path, "%s[%s]", field, name);
        int64_t number;
        char text[64];
        const char *given = json_string_value(value);
        if (json_is_integer(value)) {
            snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
            given = text;
        }
        if (given == NULL || !quantity_parse(name, given, &number, NULL))
            field_errors_add_string(errors, FIELD_PROBLEM_INVALID, path.data,
                                    given != NULL ? given : "",
                                    "quantities must match the regular expression "
                                    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
        else if (number < 0)
            field_errors_add_string(errors, FIELD_PROBLEM_INVALID, path.data, given,
                                    "must be greater than or equal to 0");
        text_free(&path);
    }
}

// A request above its limit is refused.
static void check_request_in_limit(const json_t *resources, const char *field,
                                   struct field_errors *errors)
{
    const json_t *limits = json_object_get(resources, "limits");
    const char *name;
    json_t *value;
    json_object_foreach (json_object_get(resources, "requests"), name, value) {
        const char *limit_text = string_at(limits, name);
        int64_t request, limit;
        if (limit_text == NULL || !json_is_string(value) ||
            !quantity_parse(name, json_string_value(value), &request, NULL) ||
            !quantity_parse(name, limit_text, &limit, NULL) || request <= limit)
            continue;
        struct text path = {0};
        text_format(&path, "%s.requests", field);
        struct text why = {0};
        text_format(&why, "must be less than or equal to %s limit of %s", name, limit_text);
        field_errors_add_string(errors, FIELD_PROBLEM_INVALID, path.data, json_string_value(value),
                                why.data);
        text_free(&path);
        text_free(&why);
    }
}

static void check_container(const json_t *container, const char *field, struct field_errors *errors)
{
    char path[200];
    const char *name = string_at(container, "name");
    const char *why = NULL;
    snprintf(path, sizeof path, "%s.name", field);
    if (name == NULL || name[0] == '\0')
        field_errors_add(errors, FIELD_PROBLEM_REQUIRED, path, NULL, "%s", "");
    else if (!text_is_dns_label(name, &why))
        field_errors_add_string(errors, FIELD_PROBLEM_INVALID, path, name, why);
    const char *image = string_at(container, "image");
    snprintf(path, sizeof path, "%s.image", field);
    if (image == NULL || image[0] == '\0')
        field_errors_add(errors, FIELD_PROBLEM_REQUIRED, path, NULL, "%s", "");
    const json_t *resources = json_object_get(container, "resources");
    snprintf(path, sizeof path, "%s.resources.requests", field);
    check_quantities(json_object_get(resources, "requests"), path, errors);
    snprintf(path, sizeof path, "%s.resources.limits", field);
    check_quantities(json_object_get(resources, "limits"), path, errors);
    snprintf(path, sizeof path, "%s.resources", field);
    check_request_in_limit(resources, path, errors);
}

static bool name_seen_before(const json_t *list, size_t position)
{
    const char *name = string_at(json_array_get(list, position), "name");
    for (size_t i = 0; name != NULL && i < position; i++) {
        const char *other = string_at(json_array_get(list, i), "name");
        if (other != NULL && strcmp(other, name) == 0)
            return true;
    }
    return false;
}

static void check_pod_spec(const json_t *spec, const char *field, struct field_errors *errors)
{
    static const char *const lists[] = {"initContainers", "containers"};
    char path[160];
    if (json_array_size(json_object_get(spec, "containers")) == 0) {
        snprintf(path, sizeof path, "%s.containers", field);
        field_errors_add(errors, FIELD_PROBLEM_REQUIRED, path, NULL, "%s", "");
    }
    for (size_t l = 0; l < ARRAY_LENGTH(lists); l++) {
        const json_t *list = json_object_get(spec, lists[l]);
        size_t i;
        json_t *container;
        json_array_foreach (list, i, container) {
            snprintf(path, sizeof path, "%s.%s[%zu]", field, lists[l], i);
            check_container(container, path, errors);
            if (!name_seen_before(list, i))
                continue;
            snprintf(path, sizeof path, "%s.%s[%zu].name", field, lists[l], i);
            field_errors_add_string(errors, FIELD_PROBLEM_DUPLICATE, path,
                                    string_at(container, "name"), "");
        }
    }
    static const char *const policies[] = {"Always", "OnFailure", "Never"};
    const char *policy = string_at(spec, "restartPolicy");
    bool known = false;
    for (size_t i = 0; i < ARRAY_LENGTH(policies); i++)
        known = known || (policy != NULL && strcmp(policy, policies[i]) == 0);
    snprintf(path, sizeof path, "%s.restartPolicy", field);
    if (!known)
        field_errors_add_string(errors, FIELD_PROBLEM_NOT_SUPPORTED, path,
                                policy != NULL ? policy : "",
                                "supported values: \"Always\", \"OnFailure\", \"Never\"");
}

static bool is_subset(const json_t *part, const json_t *whole)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)part, key, value) {
        if (!json_equal(value, json_object_get(whole, key)))
            return false;
    }
    return true;
}

static void check_replicas(const json_t *spec, struct field_errors *errors)
{
    const json_t *replicas = json_object_get(spec, "replicas");
    if (replicas == NULL || (json_is_integer(replicas) && json_integer_value(replicas) >= 0))
        return;
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)json_integer_value(replicas));
    field_errors_add(errors, FIELD_PROBLEM_INVALID, "spec.replicas", text,
                     "must be greater than or equal to 0");
}

// Deployment, ReplicaSet, DaemonSet, StatefulSet: the selector matches the template and never
// changes.
static void check_workload(const json_t *object, const json_t *old, struct field_errors *errors)
{
    const json_t *spec = json_object_get(object, "spec");
    const json_t *selector = json_object_get(spec, "selector");
    const json_t *template = json_object_get(spec, "template");
    const json_t *labels = json_object_get(json_object_get(template, "metadata"), "labels");
    check_replicas(spec, errors);
    check_pod_spec(json_object_get(template, "spec"), "spec.template.spec", errors);
    if (!json_is_object(selector) || json_object_size(selector) == 0)
        field_errors_add(errors, FIELD_PROBLEM_REQUIRED, "spec.selector", NULL, "%s", "");
    else if (!is_subset(json_object_get(selector, "matchLabels"), labels)) {
        CLEANUP_FREE char *given = json_dumps(labels, JSON_COMPACT | JSON_SORT_KEYS);
        field_errors_add(errors, FIELD_PROBLEM_INVALID, "spec.template.metadata.labels",
                         given != NULL ? given : "{}",
                         "`selector` does not match template `labels`");
    }
    const json_t *old_selector = json_object_get(json_object_get(old, "spec"), "selector");
    if (old != NULL && !json_equal(selector, old_selector))
        field_errors_add(errors, FIELD_PROBLEM_INVALID, "spec.selector", NULL,
                         "field is immutable");
}

static void check_job(const json_t *object, const json_t *old, struct field_errors *errors)
{
    const json_t *spec = json_object_get(object, "spec");
    const json_t *template = json_object_get(spec, "template");
    const json_t *pod_spec = json_object_get(template, "spec");
    check_pod_spec(pod_spec, "spec.template.spec", errors);
    const char *policy = string_at(pod_spec, "restartPolicy");
    if (policy != NULL && strcmp(policy, "Always") == 0)
        field_errors_add_string(errors, FIELD_PROBLEM_NOT_SUPPORTED,
                                "spec.template.spec.restartPolicy", "Always",
                                "supported values: \"OnFailure\", \"Never\"");
    const json_t *old_spec = json_object_get(old, "spec");
    static const char *const fixed[] = {"selector", "template", "completionMode"};
    for (size_t i = 0; old != NULL && i < ARRAY_LENGTH(fixed); i++) {
        char path[60];
        snprintf(path, sizeof path, "spec.%s", fixed[i]);
        if (!json_equal(json_object_get(spec, fixed[i]), json_object_get(old_spec, fixed[i])))
            field_errors_add(errors, FIELD_PROBLEM_INVALID, path, NULL, "field is immutable");
    }
}

static void check_cron_job(const json_t *object, struct field_errors *errors)
{
    const json_t *spec = json_object_get(object, "spec");
    const char *schedule = string_at(spec, "schedule");
    struct cron cron;
    struct error error = {0};
    if (schedule == NULL || schedule[0] == '\0')
        field_errors_add(errors, FIELD_PROBLEM_REQUIRED, "spec.schedule", NULL, "%s", "");
    else if (!cron_parse(schedule, &cron, &error))
        field_errors_add_string(errors, FIELD_PROBLEM_INVALID, "spec.schedule", schedule,
                                error.message);
    check_pod_spec(store_path(spec, "jobTemplate.spec.template.spec"),
                   "spec.jobTemplate.spec.template.spec", errors);
}

// Of a pod's spec only images, activeDeadlineSeconds, terminationGracePeriodSeconds and new
// tolerations may change. Scheduling gates may be removed, and a gated pod's node selector may
// become narrower. The binding uses another path. Fields of the scheduler and the kubelets may be
// added.
static void check_pod_update(const json_t *pod, const json_t *old, struct field_errors *errors)
{
    static const char *const fixed[] = {
        "nodeName",           "hostNetwork", "restartPolicy",
        "schedulerName",      "priority",    "priorityClassName",
        "serviceAccountName", "volumes",     "topologySpreadConstraints",
        "hostname",           "subdomain",   "runtimeClassName"};
    const json_t *spec = json_object_get(pod, "spec"), *old_spec = json_object_get(old, "spec");
    bool changed = json_array_size(json_object_get(spec, "containers")) !=
                   json_array_size(json_object_get(old_spec, "containers"));
    for (size_t i = 0; i < ARRAY_LENGTH(fixed); i++) {
        const json_t *now = json_object_get(spec, fixed[i]);
        const json_t *before = json_object_get(old_spec, fixed[i]);
        changed = changed || (now != before && !json_equal(now, before));
    }
    if (changed)
        field_errors_add(
            errors, FIELD_PROBLEM_FORBIDDEN, "spec", NULL,
            "pod updates may not change fields other than "
            "`spec.containers[*].image`,`spec.initContainers[*].image`,"
            "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing "
            "tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 "
            "if it was previously negative)");
}

// A nominated node need not exist; a pod that has a node is not nominated to another.
static void check_nomination(const json_t *pod, const json_t *old, struct field_errors *errors)
{
    const char *node = string_at(json_object_get(pod, "status"), "nominatedNodeName");
    const char *before = string_at(json_object_get(old, "status"), "nominatedNodeName");
    const char *why = NULL;
    if (node == NULL || node[0] == '\0' || (before != NULL && strcmp(node, before) == 0))
        return;
    const char *bound = string_at(json_object_get(pod, "spec"), "nodeName");
    if (bound != NULL && bound[0] != '\0')
        field_errors_add(errors, FIELD_PROBLEM_FORBIDDEN, "status.nominatedNodeName", NULL,
                         "may not be set on pods that are already bound to a node");
    if (!text_is_dns_subdomain(node, &why))
        field_errors_add_string(errors, FIELD_PROBLEM_INVALID, "status.nominatedNodeName", node,
                                why);
}

static void check_pod(const json_t *pod, const json_t *old, const char *subresource,
                      struct field_errors *errors)
{
    if (old == NULL)
        check_pod_spec(json_object_get(pod, "spec"), "spec", errors);
    else if (subresource == NULL)
        check_pod_update(pod, old, errors);
    else if (strcmp(subresource, "status") == 0)
        check_nomination(pod, old, errors);
}

static void check_disruption_budget(const json_t *object, struct field_errors *errors)
{
    const json_t *spec = json_object_get(object, "spec");
    if (json_object_get(spec, "minAvailable") != NULL &&
        json_object_get(spec, "maxUnavailable") != NULL)
        field_errors_add(errors, FIELD_PROBLEM_INVALID, "spec", NULL,
                         "minAvailable and maxUnavailable cannot be both set");
}

static void check_node(const json_t *node, const json_t *old, struct field_errors *errors)
{
    const char *id = string_at(json_object_get(node, "spec"), "providerID");
    const char *old_id = string_at(json_object_get(old, "spec"), "providerID");
    if (old_id != NULL && old_id[0] != '\0' && (id == NULL || strcmp(id, old_id) != 0))
        field_errors_add(errors, FIELD_PROBLEM_FORBIDDEN, "spec.providerID", NULL,
                         "node updates may not change providerID except from \"\" to valid");
    const json_t *taints = json_object_get(json_object_get(node, "spec"), "taints");
    size_t i;
    json_t *taint;
    json_array_foreach (taints, i, taint) {
        const char *why = NULL, *key = string_at(taint, "key");
        char path[60];
        snprintf(path, sizeof path, "spec.taints[%zu].key", i);
        if (key == NULL || !text_is_qualified_name(key, &why))
            field_errors_add_string(errors, FIELD_PROBLEM_INVALID, path, key != NULL ? key : "",
                                    why != NULL ? why : "name part must be non-empty");
    }
    const json_t *status = json_object_get(node, "status");
    check_quantities(json_object_get(status, "capacity"), "status.capacity", errors);
    check_quantities(json_object_get(status, "allocatable"), "status.allocatable", errors);
}

static bool is_workload(const struct store_resource *resource)
{
    static const char *const plurals[] = {"deployments", "replicasets", "daemonsets",
                                          "statefulsets"};
    for (size_t i = 0; i < ARRAY_LENGTH(plurals); i++)
        if (strcmp(resource->group, "apps") == 0 && strcmp(resource->plural, plurals[i]) == 0)
            return true;
    return false;
}

static bool validate_builtin(struct store *store, const struct store_resource *resource,
                             const json_t *object, const json_t *old, const char *subresource,
                             struct failure *failure)
{
    struct field_errors errors = {0};
    if (resource == store->pods)
        check_pod(object, old, subresource, &errors);
    else if (is_workload(resource))
        check_workload(object, old, &errors);
    else if (strcmp(resource->plural, "jobs") == 0)
        check_job(object, old, &errors);
    else if (strcmp(resource->plural, "cronjobs") == 0)
        check_cron_job(object, &errors);
    else if (strcmp(resource->plural, "poddisruptionbudgets") == 0)
        check_disruption_budget(object, &errors);
    else if (strcmp(resource->plural, "nodes") == 0)
        check_node(object, old, &errors);
    return field_errors_finish(&errors, resource, store_name(object), failure);
}

bool validation_apply(struct store *store, const struct store_resource *resource,
                      struct store_draft *draft, struct failure *failure)
{
    const struct kind *kind = resource_kind(resource);
    if (kind != NULL && kind->custom)
        return validate_custom(kind, resource, draft, failure);
    if (resource->custom)
        return validate_defined(resource, draft, failure);
    return validate_builtin(store, resource, draft->object, draft->old, draft->subresource,
                            failure);
}
