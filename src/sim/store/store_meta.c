#include "sim/store/store_meta.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sim/store/store_internal.h"
#include "sim/store/store_objects.h"

#define GENERATED_BASE_MAX 58 // 63 less the suffix of 5

static bool meta_validate(const struct store_resource *resource, const json_t *metadata,
                          struct field_errors *errors);

static bool is_resource(const struct store_resource *resource, const char *group,
                        const char *plural)
{
    return strcmp(resource->group, group) == 0 && strcmp(resource->plural, plural) == 0;
}

bool resource_has_generation(const struct store_resource *resource)
{
    static const char *const groups[] = {
        "apps", "batch", "policy", "autoscaling", "networking.k8s.io", "scheduling.k8s.io"};
    if (resource->custom || is_resource(resource, "", "pods") ||
        is_resource(resource, "", "replicationcontrollers"))
        return true;
    for (size_t i = 0; i < ARRAY_LENGTH(groups); i++)
        if (strcmp(resource->group, groups[i]) == 0)
            return true;
    return false;
}

bool meta_is_deleting(const json_t *object)
{
    return string_at(json_object_get(object, "metadata"), "deletionTimestamp") != NULL;
}

size_t meta_finalizers(const json_t *object)
{
    return json_array_size(json_object_get(json_object_get(object, "metadata"), "finalizers"));
}

void meta_set_version(json_t *object, uint64_t version)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)version);
    json_object_set_new(json_object_get(object, "metadata"), "resourceVersion", json_string(text));
}

static void drop_empty(json_t *metadata, const char *key)
{
    json_t *value = json_object_get(metadata, key);
    bool empty = json_is_null(value) || (json_is_array(value) && json_array_size(value) == 0) ||
                 (json_is_object(value) && json_object_size(value) == 0) ||
                 (json_is_string(value) && json_string_length(value) == 0);
    if (value != NULL && empty)
        json_object_del(metadata, key);
}

static void drop_empty_fields(json_t *metadata)
{
    static const char *const keys[] = {"labels",          "annotations",  "finalizers",
                                       "ownerReferences", "generateName", "namespace",
                                       "managedFields",   "selfLink"};
    for (size_t i = 0; i < ARRAY_LENGTH(keys); i++)
        drop_empty(metadata, keys[i]);
}

// --- creation ------------------------------------------------------------------------------------

static bool choose_namespace(const struct store_resource *resource, const char *namespace,
                             json_t *metadata, struct failure *failure)
{
    const char *given = string_at(metadata, "namespace");
    if (!resource->namespaced) {
        json_object_del(metadata, "namespace");
        return true;
    }
    if (namespace == NULL || namespace[0] == '\0')
    namespace = given;
    if (namespace == NULL || namespace[0] == '\0')
        return failure_bad_request(failure, "an empty namespace may not be set during creation");
    if (given != NULL && given[0] != '\0' && strcmp(given, namespace) != 0)
        return failure_bad_request(
            failure, "the namespace of the provided object does not match the namespace sent on "
                     "the request");
    json_t *copy = json_string(namespace); // `namespace` may be part of the replaced value
    json_object_set_new(metadata, "namespace", copy);
    return true;
}

// generateName plus five characters; a few tries if the name is taken.
static void generate_name(struct store *store, const struct store_resource *resource,
                          json_t *metadata)
{
    const char *base = string_at(metadata, "generateName");
    struct text name = {0};
    for (int i = 0; i < STORE_GENERATE_TRIES; i++) {
        char suffix[6];
        random_name_suffix(&store->random, suffix);
        text_clear(&name);
        text_add_bytes(&name, base, strnlen(base, GENERATED_BASE_MAX));
        text_add(&name, suffix);
        if (store_get(store, resource, string_at(metadata, "namespace"), name.data) == NULL)
            break;
    }
    json_object_set_new(metadata, "name", json_string(name.data));
    text_free(&name);
}

bool meta_prepare_new(struct store *store, const struct store_resource *resource,
                      const char *namespace, json_t *object, struct failure *failure)
{
    json_t *metadata = json_object_get(object, "metadata");
    const char *version = string_at(metadata, "resourceVersion");
    if (version != NULL && version[0] != '\0' && strcmp(version, "0") != 0)
        return failure_bad_request(failure,
                                   "resourceVersion should not be set on objects to be created");
    if (!choose_namespace(resource, namespace, metadata, failure))
        return false;
    const char *name = string_at(metadata, "name");
    const char *base = string_at(metadata, "generateName");
    struct field_errors errors = {0};
    if ((name == NULL || name[0] == '\0') && base != NULL && base[0] != '\0')
        generate_name(store, resource, metadata);
    static const char *const server_fields[] = {
        "resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds",
        "generation",      "creationTimestamp", "selfLink"};
    for (size_t i = 0; i < ARRAY_LENGTH(server_fields); i++)
        json_object_del(metadata, server_fields[i]);
    drop_empty_fields(metadata);
    char text[40];
    json_object_set_new(metadata, "creationTimestamp", json_string(now_text(store, text)));
    random_uuid(&store->random, text);
    json_object_set_new(metadata, "uid", json_string(text));
    if (resource_has_generation(resource))
        json_object_set_new(metadata, "generation", json_integer(1));
    meta_validate(resource, metadata, &errors);
    name = string_at(metadata, "name");
    return field_errors_finish(&errors, resource, name != NULL ? name : "", failure);
}

// Built-in kinds start with the status of their strategy. Nodes bring their own: kubelets register
// with it.
void meta_reset_status_of_new(const struct store_resource *resource, json_t *object)
{
    if (!resource->status_subresource || is_resource(resource, "", "nodes"))
        return;
    json_object_del(object, "status");
    const char *phase = NULL;
    if (is_resource(resource, "", "pods") || is_resource(resource, "", "persistentvolumeclaims") ||
        is_resource(resource, "", "persistentvolumes"))
        phase = "Pending";
    else if (is_resource(resource, "", "namespaces"))
        phase = "Active";
    if (phase != NULL)
        json_object_set_new(object, "status", json_pack("{s:s}", "phase", phase));
    else if (!resource->custom)
        json_object_set_new(object, "status", json_object());
}

// --- update --------------------------------------------------------------------------------------

static void take_over(json_t *object, const json_t *old, const char *key)
{
    json_t *value = json_object_get(old, key);
    if (value != NULL)
        json_object_set(object, key, value);
    else
        json_object_del(object, key);
}

// A write of the main resource keeps the stored status; a write of /status keeps everything else,
// for custom kinds the metadata too. The API server itself writes the other subresources.
void meta_split_status(const struct store_resource *resource, json_t *object, const json_t *old,
                       const char *subresource)
{
    if (!resource->status_subresource)
        return;
    if (subresource == NULL) {
        take_over(object, old, "status");
        return;
    }
    if (strcmp(subresource, "status") != 0)
        return;
    const char *key;
    json_t *value;
    void *next;
    json_object_foreach_safe(object, next, key, value)
    {
        bool metadata = strcmp(key, "metadata") == 0;
        if (strcmp(key, "status") != 0 && !metadata && json_object_get(old, key) == NULL)
            json_object_del(object, key);
    }
    json_object_foreach ((json_t *)old, key, value) {
        if (strcmp(key, "status") != 0 && strcmp(key, "metadata") != 0)
            json_object_set(object, key, value);
    }
    if (!resource->custom)
        return;
    // The identity sent by the client is still checked against the stored one.
    json_t *sent = json_object_get(object, "metadata");
    json_t *metadata = json_copy(json_object_get(old, "metadata"));
    static const char *const checked[] = {"resourceVersion", "uid", "name", "namespace"};
    for (size_t i = 0; i < ARRAY_LENGTH(checked); i++)
        if (json_object_get(sent, checked[i]) != NULL)
            json_object_set(metadata, checked[i], json_object_get(sent, checked[i]));
        else
            json_object_del(metadata, checked[i]);
    json_object_set_new(object, "metadata", metadata);
}

bool meta_spec_changed(const json_t *object, const json_t *old)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)object, key, value) {
        if (strcmp(key, "metadata") != 0 && strcmp(key, "status") != 0 &&
            !json_equal(value, json_object_get(old, key)))
            return true;
    }
    json_object_foreach ((json_t *)old, key, value) {
        if (strcmp(key, "metadata") != 0 && strcmp(key, "status") != 0 &&
            json_object_get(object, key) == NULL)
            return true;
    }
    return false;
}

static bool check_identity(const struct store_resource *resource, json_t *metadata,
                           const json_t *old, struct failure *failure)
{
    const char *name = store_name(old);
    const char *given = string_at(metadata, "name");
    if (given != NULL && given[0] != '\0' && strcmp(given, name) != 0)
        return failure_bad_request(
            failure, "the name of the object (%s) does not match the name on the URL (%s)", given,
            name);
    given = string_at(metadata, "namespace");
    if (resource->namespaced && given != NULL && given[0] != '\0' &&
        strcmp(given, store_namespace(old)) != 0)
        return failure_bad_request(failure, "the namespace of the provided object does not match "
                                            "the namespace sent on the request");
    given = string_at(metadata, "uid");
    if (given != NULL && given[0] != '\0' && strcmp(given, store_uid(old)) != 0)
        return failure_conflict(failure, resource, name,
                                "Precondition failed: UID in precondition: %s, UID in object meta: "
                                "%s",
                                given, store_uid(old));
    given = string_at(metadata, "resourceVersion");
    const char *version = string_at(json_object_get(old, "metadata"), "resourceVersion");
    if (given != NULL && given[0] != '\0' && strcmp(given, "0") != 0 && strcmp(given, version) != 0)
        return failure_conflict(failure, resource, name,
                                "the object has been modified; please apply your changes to the "
                                "latest version and try again");
    return true;
}

static bool array_has(const json_t *array, const json_t *value)
{
    size_t i;
    json_t *item;
    json_array_foreach (array, i, item) {
        if (json_equal(item, value))
            return true;
    }
    return false;
}

// An object that is being deleted takes no new finalizers.
static void check_finalizers(const json_t *metadata, const json_t *old, struct field_errors *errors)
{
    if (!meta_is_deleting(old))
        return;
    const json_t *before = json_object_get(json_object_get(old, "metadata"), "finalizers");
    size_t i;
    json_t *finalizer;
    json_array_foreach (json_object_get(metadata, "finalizers"), i, finalizer) {
        if (!array_has(before, finalizer))
            field_errors_add(errors, FIELD_PROBLEM_FORBIDDEN, "metadata.finalizers", NULL,
                             "no new finalizers can be added if the object is being deleted, found "
                             "new finalizers []string{\"%s\"}",
                             json_is_string(finalizer) ? json_string_value(finalizer) : "");
    }
}

bool meta_prepare_update(struct store *store, const struct store_resource *resource, json_t *object,
                         const json_t *old, const char *subresource, struct failure *failure)
{
    (void)store;
    (void)subresource;
    json_t *metadata = json_object_get(object, "metadata");
    if (!check_identity(resource, metadata, old, failure))
        return false;
    drop_empty_fields(metadata);
    static const char *const server_fields[] = {"name",
                                                "namespace",
                                                "uid",
                                                "resourceVersion",
                                                "creationTimestamp",
                                                "generation",
                                                "deletionTimestamp",
                                                "deletionGracePeriodSeconds",
                                                "generateName",
                                                "selfLink"};
    const json_t *old_metadata = json_object_get(old, "metadata");
    for (size_t i = 0; i < ARRAY_LENGTH(server_fields); i++)
        take_over(metadata, old_metadata, server_fields[i]);
    struct field_errors errors = {0};
    check_finalizers(metadata, old, &errors);
    meta_validate(resource, metadata, &errors);
    return field_errors_finish(&errors, resource, store_name(old), failure);
}

// --- validation of metadata ----------------------------------------------------------------------

// Names are DNS subdomains, except for namespaces and services (labels) and RBAC and the like (path
// segments).
static void validate_name(const struct store_resource *resource, const json_t *metadata,
                          struct field_errors *errors)
{
    const char *name = string_at(metadata, "name");
    if (name == NULL || name[0] == '\0') {
        field_errors_add(errors, FIELD_PROBLEM_REQUIRED, "metadata.name", NULL,
                         "name or generateName is required");
        return;
    }
    const char *why = NULL;
    bool good;
    if (is_resource(resource, "", "namespaces") || is_resource(resource, "", "services"))
        good = text_is_dns_label(name, &why);
    else if (strcmp(resource->group, "rbac.authorization.k8s.io") == 0)
        good = strchr(name, '/') == NULL && strlen(name) <= 253;
    else
        good = text_is_dns_subdomain(name, &why);
    if (!good)
        field_errors_add_string(errors, FIELD_PROBLEM_INVALID, "metadata.name", name,
                                why != NULL ? why : "may not contain '/'");
}

static void validate_labels(const json_t *labels, struct field_errors *errors)
{
    if (labels != NULL && !json_is_object(labels)) {
        field_errors_add(errors, FIELD_PROBLEM_INVALID, "metadata.labels", NULL,
                         "must be an object");
        return;
    }
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)labels, key, value) {
        const char *why = NULL;
        if (!text_is_qualified_name(key, &why))
            field_errors_add_string(errors, FIELD_PROBLEM_INVALID, "metadata.labels", key, why);
        if (!json_is_string(value))
            field_errors_add(errors, FIELD_PROBLEM_INVALID, "metadata.labels", NULL,
                             "the value of \"%s\" must be a string", key);
        else if (!text_is_label_value(json_string_value(value), &why))
            field_errors_add_string(errors, FIELD_PROBLEM_INVALID, "metadata.labels",
                                    json_string_value(value), why);
    }
}

static void validate_annotations(const json_t *annotations, struct field_errors *errors)
{
    if (annotations != NULL && !json_is_object(annotations)) {
        field_errors_add(errors, FIELD_PROBLEM_INVALID, "metadata.annotations", NULL,
                         "must be an object");
        return;
    }
    size_t total = 0;
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)annotations, key, value) {
        const char *why = NULL;
        // Annotation keys may have upper-case prefixes, unlike label keys: only the form counts.
        if (!text_is_qualified_name(key, &why) && strchr(key, '/') == NULL)
            field_errors_add_string(errors, FIELD_PROBLEM_INVALID, "metadata.annotations", key,
                                    why);
        if (!json_is_string(value))
            field_errors_add(errors, FIELD_PROBLEM_INVALID, "metadata.annotations", NULL,
                             "the value of \"%s\" must be a string", key);
        total += strlen(key) + json_string_length(value);
    }
    if (total > 256 * 1024)
        field_errors_add(errors, FIELD_PROBLEM_INVALID, "metadata.annotations", NULL,
                         "may not be more than 262144 bytes");
}

static void validate_owners(const json_t *owners, struct field_errors *errors)
{
    static const char *const required[] = {"apiVersion", "kind", "name", "uid"};
    size_t i;
    json_t *owner;
    int controllers = 0;
    json_array_foreach (owners, i, owner) {
        for (size_t j = 0; j < ARRAY_LENGTH(required); j++) {
            const char *value = string_at(owner, required[j]);
            if (value != NULL && value[0] != '\0')
                continue;
            char field[80];
            snprintf(field, sizeof field, "metadata.ownerReferences[%zu].%s", i, required[j]);
            field_errors_add(errors, FIELD_PROBLEM_REQUIRED, field, NULL, "must not be empty");
        }
        controllers += json_is_true(json_object_get(owner, "controller"));
    }
    if (controllers > 1)
        field_errors_add(errors, FIELD_PROBLEM_INVALID, "metadata.ownerReferences", NULL,
                         "Only one reference can have Controller set to true");
}

static void validate_finalizers(const json_t *finalizers, struct field_errors *errors)
{
    size_t i;
    json_t *finalizer;
    json_array_foreach (finalizers, i, finalizer) {
        const char *why = "must be a string";
        const char *text = json_string_value(finalizer);
        if (text == NULL || !text_is_qualified_name(text, &why))
            field_errors_add_string(errors, FIELD_PROBLEM_INVALID, "metadata.finalizers",
                                    text != NULL ? text : "", why);
    }
}

static bool meta_validate(const struct store_resource *resource, const json_t *metadata,
                          struct field_errors *errors)
{
    validate_name(resource, metadata, errors);
    validate_labels(json_object_get(metadata, "labels"), errors);
    validate_annotations(json_object_get(metadata, "annotations"), errors);
    validate_owners(json_object_get(metadata, "ownerReferences"), errors);
    validate_finalizers(json_object_get(metadata, "finalizers"), errors);
    return errors->causes == NULL;
}
