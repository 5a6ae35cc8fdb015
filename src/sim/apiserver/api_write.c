#include "sim/apiserver/api_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "sim/apiserver/api_apply.h"
#include "sim/apiserver/api_internal.h"
#include "sim/apiserver/api_selector.h"
#include "sim/apiserver/api_views.h"
#include "sim/store/field_check.h"
#include "sim/store/resources.h"
#include "sim/store/store_furnish.h"
#include "sim/store/store_internal.h"
#include "sim/store/store_patch.h"
#include "sim/store/store_remove.h"

static bool need_body(struct api_call *call)
{
    return json_is_object(call->request->body) ||
           failure_bad_request(&call->failure, "the body of the request is not a JSON object");
}

// A stored definition is served at once; its conditions show that.
static void serve_definition(struct api_call *call, json_t **stored)
{
    if (call->resource != call->store->definitions || call->write.dry_run)
        return;
    resources_register_definition(call->store, *stored);
    *stored = store_furnish_definition_status(call->store, *stored);
}

// A server-side apply refuses them always: nobody could own them.
static bool refuse_applied(struct api_call *call, const json_t *unknown)
{
    const struct store_resource *view = call->view;
    struct text text = {0};
    size_t i;
    json_t *path;
    text_format(&text, "failed to create typed patch object (%s%s%s; %s/%s, Kind=%s): ",
                call->path.namespace != NULL ? call->path.namespace : "",
                call->path.namespace != NULL ? "/" : "", call->path.name, view->group,
                view->version, view->kind);
    json_array_foreach (unknown, i, path) {
        text_format(&text, "%s.%s: field not declared in schema", i > 0 ? "\n" : "",
                    json_string_value(path));
    }
    failure_set(&call->failure, 500, "", "%s", text.data);
    text_free(&text);
    return false;
}

// Unknown fields are refused if the client wants that, else told as warnings.
static bool tell_unknown(struct api_call *call, const json_t *unknown)
{
    const char *type = call->request->content_type;
    if (type != NULL && text_starts_with(type, "application/apply-patch"))
        return refuse_applied(call, unknown);
    struct text text = {0};
    size_t i;
    json_t *path;
    json_array_foreach (unknown, i, path) {
        struct text one = {0};
        text_format(&one, "unknown field \"%s\"", json_string_value(path));
        text_join(&text, ", ", one.data);
        if (call->write.lenient && call->write.warnings != NULL)
            json_array_append_new(call->write.warnings, json_string(one.data));
        text_free(&one);
    }
    bool good = call->write.lenient ||
                failure_bad_request(
                    &call->failure,
                    "%s in version \"%s\" cannot be handled as a %s: strict decoding error: %s",
                    call->view->kind, call->view->version, call->view->kind, text.data);
    text_free(&text);
    return good;
}

// Fields of built-in kinds, by the type tables.
static bool check_fields(struct api_call *call)
{
    if (!call->checks_fields || call->path.subresource != NULL)
        return true;
    json_t *unknown = json_array();
    bool good = field_check(store_types(call->store), call->view, call->request->body, unknown,
                            &call->failure);
    if (good && json_array_size(unknown) > 0)
        good = tell_unknown(call, unknown);
    json_decref(unknown);
    return good;
}

bool call_create(struct api_call *call)
{
    if (!need_body(call) || !check_fields(call))
        return false;
    json_t *body = view_read(call->view, call->request->body);
    json_t *stored = store_write_add(call->store, call->resource, call->path.namespace, body,
                                     &call->write, &call->failure);
    json_decref(body);
    if (stored == NULL)
        return false;
    serve_definition(call, &stored);
    return answer_object(call, 201, stored);
}

// Only a client that has read a custom object may replace it.
static bool check_unconditional(struct api_call *call)
{
    const char *version =
        string_at(json_object_get(call->request->body, "metadata"), "resourceVersion");
    if (!call->resource->custom || (version != NULL && version[0] != '\0'))
        return true;
    struct field_errors errors = {0};
    field_errors_add(&errors, FIELD_PROBLEM_INVALID, "metadata.resourceVersion", "0",
                     "must be specified for an update");
    return field_errors_finish(&errors, call->view, call->path.name, &call->failure);
}

static const char *write_subresource(const struct api_call *call)
{
    return call->path.subresource;
}

bool call_update(struct api_call *call)
{
    if (!need_body(call) || !check_fields(call))
        return false;
    bool exists =
        store_get(call->store, call->resource, call->path.namespace, call->path.name) != NULL;
    if (exists && !check_unconditional(call))
        return false;
    json_t *body = view_read(call->view, call->request->body);
    json_t *stored =
        store_write_replace(call->store,
                            &(struct store_target){call->resource, call->path.namespace,
                                                   call->path.name, write_subresource(call)},
                            body, &call->write, &call->failure);
    json_decref(body);
    if (stored == NULL)
        return false;
    serve_definition(call, &stored);
    return answer_object(call, 200, stored);
}

static const char *patch_type(const struct api_call *call)
{
    static const struct {
        const char *media_type, *type;
    } types[] = {
        {"application/json-patch+json", "json"},
        {"application/merge-patch+json", "merge"},
        {"application/strategic-merge-patch+json", "strategic"},
        {"application/apply-patch+yaml", "apply"},
    };
    const char *given = call->request->content_type;
    for (size_t i = 0; given != NULL && i < ARRAY_LENGTH(types); i++)
        if (text_starts_with(given, types[i].media_type))
            return types[i].type;
    return NULL;
}

static bool patch_as(struct api_call *call, const char *type)
{
    if (strcmp(type, "apply") == 0)
        return call_apply(call);
    json_t *stored =
        store_write_patch(call->store,
                          &(struct store_target){call->resource, call->path.namespace,
                                                 call->path.name, write_subresource(call)},
                          type, call->request->body, &call->write, &call->failure);
    if (stored == NULL)
        return false;
    serve_definition(call, &stored);
    return answer_object(call, 200, stored);
}

bool call_patch(struct api_call *call)
{
    const char *type = patch_type(call);
    if (type == NULL)
        return failure_set(
            &call->failure, 415, "UnsupportedMediaType",
            "the body of the request was in an unknown format - accepted media types "
            "include: application/json-patch+json, application/merge-patch+json, "
            "application/strategic-merge-patch+json, application/apply-patch+yaml");
    if (call->request->body == NULL)
        return failure_bad_request(&call->failure, "the patch is missing or not JSON");
    if (strcmp(type, "json") != 0 && !check_fields(call))
        return false;
    const struct api_request *request = call->request;
    struct api_request stored = *request; // as the stored version has it
    stored.body = view_read(call->view, request->body);
    call->request = &stored;
    bool good = patch_as(call, type);
    call->request = request;
    json_decref(stored.body);
    return good;
}

// --- delete --------------------------------------------------------------------------------------

static bool read_delete_options(struct api_call *call, const json_t *body,
                                struct store_delete_options *options)
{
    const json_t *preconditions = json_object_get(body, "preconditions");
    *options = (struct store_delete_options){
        .uid = string_at(preconditions, "uid"),
        .resource_version = string_at(preconditions, "resourceVersion"),
        .grace_period_seconds = -1,
        .propagation = string_at(body, "propagationPolicy"),
    };
    const json_t *grace = json_object_get(body, "gracePeriodSeconds");
    const char *grace_text = call_query(call, "gracePeriodSeconds");
    if (json_is_integer(grace))
        options->grace_period_seconds = json_integer_value(grace);
    else if (grace_text != NULL && !text_parse_int64(grace_text, &options->grace_period_seconds))
        return failure_bad_request(&call->failure, "invalid gracePeriodSeconds: %s", grace_text);
    if (options->propagation == NULL)
        options->propagation = call_query(call, "propagationPolicy");
    if (json_is_true(json_object_get(body, "orphanDependents")) && options->propagation == NULL)
        options->propagation = "Orphan";
    if (json_array_size(json_object_get(body, "dryRun")) > 0)
        call->write.dry_run = true;
    static const char *const policies[] = {"Background", "Foreground", "Orphan"};
    for (size_t i = 0; options->propagation != NULL && i < ARRAY_LENGTH(policies); i++)
        if (strcmp(options->propagation, policies[i]) == 0)
            return true;
    return options->propagation == NULL ||
           failure_bad_request(&call->failure, "invalid propagationPolicy: %s",
                               options->propagation);
}

static bool answer_gone(struct api_call *call, json_t *object)
{
    json_t *status = status_success();
    json_t *details = json_pack("{s:s, s:s, s:s}", "name", store_name(object), "kind",
                                call->view->plural, "uid", store_uid(object));
    if (call->view->group[0] != '\0')
        json_object_set_new(details, "group", json_string(call->view->group));
    json_object_set_new(status, "details", details);
    return answer_value(call, 200, status);
}

struct kind_removal { // the objects of a definition's kind, in one version
    VECTOR(json_t *) objects;
};

static bool add_object(void *context, json_t *object)
{
    struct kind_removal *removal = context;
    vector_push(&removal->objects, json_incref(object));
    return true;
}

// Without its definition a kind's objects go, and it is no longer served.
static bool withdraw_kind(struct api_call *call)
{
    json_t *definition = store_get(call->store, call->resource, NULL, call->path.name);
    const json_t *spec = json_object_get(definition, "spec");
    const char *group = string_at(spec, "group");
    const char *plural = string_at(json_object_get(spec, "names"), "plural");
    size_t i;
    json_t *version;
    json_array_foreach (json_object_get(spec, "versions"), i, version) {
        const char *name = string_at(version, "name");
        const struct store_resource *resource =
            group != NULL && plural != NULL && name != NULL
                ? store_resource_find(call->store, group, name, plural)
                : NULL;
        if (resource == NULL || call->write.dry_run)
            continue;
        if (resource->definition == NULL)
            return failure_forbidden(&call->failure, call->view, call->path.name,
                                     "the embedded cluster's controller needs this kind");
        struct kind_removal removal = {0};
        store_each(call->store, resource, NULL, add_object, &removal);
        vector_for_each (object, &removal.objects) {
            store_remove(call->store, resource, store_namespace(*object), store_name(*object), NULL,
                         NULL);
            json_decref(*object);
        }
        vector_free(&removal.objects);
        store_withdraw(call->store, resource);
    }
    return true;
}

bool call_delete(struct api_call *call)
{
    struct store_delete_options options;
    if (!read_delete_options(call, call->request->body, &options))
        return false;
    if (call->resource == call->store->definitions && !withdraw_kind(call))
        return false;
    bool removed;
    json_t *object = store_write_remove(
        call->store, &(struct store_target){call->resource, call->path.namespace, call->path.name},
        &options, &call->write, &removed, &call->failure);
    if (object == NULL)
        return false;
    bool returns_object = call->resource == call->store->pods;
    return removed && !returns_object ? answer_gone(call, object)
                                      : answer_object(call, 200, object);
}

struct collection {
    const struct api_selector *selector;
    VECTOR(json_t *) objects;
};

static bool collect(void *context, json_t *object)
{
    struct collection *collection = context;
    if (api_selector_matches(collection->selector, object))
        vector_push(&collection->objects, json_incref(object));
    return true;
}

bool call_delete_collection(struct api_call *call)
{
    struct store_delete_options options;
    if (!read_delete_options(call, call->request->body, &options))
        return false;
    struct api_selector *selector =
        api_selector_parse(call_query(call, "labelSelector"), call_query(call, "fieldSelector"),
                           call->resource, &call->failure);
    if (selector == NULL)
        return false;
    struct collection collection = {.selector = selector};
    store_each(call->store, call->resource, call->path.namespace, collect, &collection);
    json_t *items = json_array();
    vector_for_each (object, &collection.objects) {
        bool removed;
        json_t *gone = store_write_remove(
            call->store,
            &(struct store_target){call->resource, store_namespace(*object), store_name(*object)},
            &options, &call->write, &removed, NULL);
        if (gone != NULL)
            json_array_append_new(items, view_of(call->view, gone));
        json_decref(*object);
    }
    vector_free(&collection.objects);
    api_selector_destroy(selector);
    json_t *version = json_sprintf("%llu", (unsigned long long)store_version(call->store));
    json_t *api_version = json_sprintf(
        "%s%s%s", call->view->group, call->view->group[0] != '\0' ? "/" : "", call->view->version);
    return answer_value(call, 200,
                        json_pack("{s:s, s:o, s:{s:o}, s:o}", "kind", call->view->list_kind,
                                  "apiVersion", api_version, "metadata", "resourceVersion", version,
                                  "items", items));
}
