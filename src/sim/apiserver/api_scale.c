#include "sim/apiserver/api_scale.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/schema/type.h"
#include "sim/apiserver/api_internal.h"
#include "sim/store/patch.h"
#include "sim/store/resources.h"
#include "sim/store/store_internal.h"
#include "sim/store/store_patch.h"

// Paths are ".spec.replicas"; without the leading dot they are store_path()'s.
static const char *replicas_path(const struct store_resource *resource, bool status)
{
    const struct kind *kind = resource->custom ? resource_kind(resource) : NULL;
    const struct custom_kind *facts = kind != NULL ? kind->custom_facts : NULL;
    const char *path = facts == NULL ? NULL
                       : status      ? facts->scale_status_path
                                     : facts->scale_spec_path;
    if (path == NULL)
        path = status ? "status.replicas" : "spec.replicas";
    return path[0] == '.' ? path + 1 : path;
}

static void add_expression(struct text *text, const json_t *expression)
{
    const char *key = string_at(expression, "key"), *operator= string_at(expression, "operator");
    if (key == NULL || operator== NULL)
        return;
    if (strcmp(operator, "Exists") == 0) {
        text_join(text, ",", key);
    } else if (strcmp(operator, "DoesNotExist") == 0) {
        text_join(text, ",", "!");
        text_add(text, key);
    } else {
        text_join(text, ",", key);
        text_add(text, strcmp(operator, "In") == 0 ? " in (" : " notin (");
        size_t i;
        json_t *value;
        json_array_foreach (json_object_get(expression, "values"), i, value) {
            text_format(text, "%s%s", i > 0 ? "," : "",
                        json_is_string(value) ? json_string_value(value) : "");
        }
        text_add_char(text, ')');
    }
}

static json_t *selector_text(const json_t *object)
{
    const json_t *selector = store_path(object, "spec.selector");
    json_t *labels = json_object_get(selector, "matchLabels");
    struct text text = {0};
    const char *key;
    json_t *value;
    json_object_foreach (labels != NULL ? labels : (json_t *)selector, key, value) {
        if (!json_is_string(value))
            continue;
        text_join(&text, ",", key);
        text_format(&text, "=%s", json_string_value(value));
    }
    size_t i;
    json_t *expression;
    json_array_foreach (json_object_get(selector, "matchExpressions"), i, expression) {
        add_expression(&text, expression);
    }
    json_t *result = text.length > 0 ? json_string(text.data) : NULL;
    text_free(&text);
    return result;
}

static json_t *scale_of(const struct store_resource *resource, const json_t *object)
{
    json_t *metadata = json_object();
    static const char *const keys[] = {"name", "namespace", "uid", "resourceVersion",
                                       "creationTimestamp"};
    for (size_t i = 0; i < ARRAY_LENGTH(keys); i++)
        if (store_path(object, "metadata") != NULL &&
            json_object_get(store_path(object, "metadata"), keys[i]) != NULL)
            json_object_set(metadata, keys[i],
                            json_object_get(store_path(object, "metadata"), keys[i]));
    json_t *scale = json_pack(
        "{s:s, s:s, s:o, s:{s:I}, s:{s:I}}", "kind", "Scale", "apiVersion", "autoscaling/v1",
        "metadata", metadata, "spec", "replicas",
        (json_int_t)json_integer_value(store_path(object, replicas_path(resource, false))),
        "status", "replicas",
        (json_int_t)json_integer_value(store_path(object, replicas_path(resource, true))));
    json_t *selector = selector_text(object);
    if (selector != NULL)
        json_object_set_new(json_object_get(scale, "status"), "selector", selector);
    return scale;
}

// {"spec": {"replicas": n}} at the kind's path, with the preconditions of the scale.
static json_t *replicas_patch(const struct store_resource *resource, const json_t *scale)
{
    json_t *value = json_incref(store_path(scale, "spec.replicas"));
    CLEANUP_FREE char *path = memory_copy_string(replicas_path(resource, false));
    for (char *dot = strrchr(path, '.'); dot != NULL; dot = strrchr(path, '.')) {
        *dot = '\0';
        value = json_pack("{s:o}", dot + 1, value);
    }
    json_t *patch = json_pack("{s:o}", path, value);
    const char *version = string_at(json_object_get(scale, "metadata"), "resourceVersion");
    if (version != NULL)
        json_object_set_new(patch, "metadata", json_pack("{s:s}", "resourceVersion", version));
    return patch;
}

// The client's requested scale; NULL: failure.
static json_t *wanted_scale(struct api_call *call, const json_t *object)
{
    json_t *body = call->request->body;
    if (strcmp(call->request->method, "PUT") == 0)
        return json_incref(body);
    const char *media_type = call->request->content_type;
    bool operations =
        media_type != NULL && text_starts_with(media_type, "application/json-patch+json");
    json_t *present = scale_of(call->resource, object);
    // Only the patch's own precondition counts, not the version put in above.
    json_object_del(json_object_get(present, "metadata"), "resourceVersion");
    json_t *wanted = patch_apply(operations ? "json" : "merge", present, body, &call->failure);
    json_decref(present);
    return wanted;
}

bool call_scale(struct api_call *call)
{
    json_t *object = store_get(call->store, call->resource, call->path.namespace, call->path.name);
    if (object == NULL)
        return failure_not_found(&call->failure, call->view, call->path.name);
    if (strcmp(call->request->method, "GET") == 0)
        return answer_value(call, 200, scale_of(call->resource, object));
    json_t *scale = wanted_scale(call, object);
    if (scale == NULL)
        return false;
    const json_t *replicas = store_path(scale, "spec.replicas");
    json_t *stored = NULL;
    if (!json_is_integer(replicas) || json_integer_value(replicas) < 0) {
        struct field_errors errors = {0};
        field_errors_add(&errors, FIELD_PROBLEM_INVALID, "spec.replicas", NULL,
                         "must be greater than or equal to 0");
        bool good = field_errors_finish(&errors, call->view, call->path.name, &call->failure);
        (void)good;
    } else {
        json_t *patch = replicas_patch(call->resource, scale);
        stored = store_write_patch(
            call->store,
            &(struct store_target){call->resource, call->path.namespace, call->path.name}, "merge",
            patch, &call->write, &call->failure);
        json_decref(patch);
    }
    json_decref(scale);
    return stored != NULL && answer_value(call, 200, scale_of(call->resource, stored));
}
