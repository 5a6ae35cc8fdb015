#include "sim/apiserver/api_server.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sim/apiserver/api_internal.h"
#include "sim/apiserver/api_metrics.h"
#include "sim/apiserver/api_path.h"
#include "sim/apiserver/api_pods.h"
#include "sim/apiserver/api_read.h"
#include "sim/apiserver/api_reviews.h"
#include "sim/apiserver/api_scale.h"
#include "sim/apiserver/api_views.h"
#include "sim/apiserver/api_watch.h"
#include "sim/apiserver/api_write.h"
#include "sim/apiserver/discovery.h"
#include "sim/printing/table.h"
#include "sim/store/store_internal.h"

#define WATCH_SEED 0x5eed

struct api_server *api_server_create(struct loop *loop, struct store *store)
{
    struct api_server *server = memory_allocate(sizeof *server);
    server->loop = loop;
    server->store = store;
    random_seed(&server->random, WATCH_SEED);
    views_create(server);
    return server;
}

void api_server_destroy(struct api_server *server)
{
    free(server);
}

void api_response_clear(struct api_response *response)
{
    json_decref(response->body);
    json_decref(response->warnings);
    free(response->text);
    api_watch_destroy(response->watch);
    memset(response, 0, sizeof *response);
}

// --- the query -----------------------------------------------------------------------------------

const char *call_query(const struct api_call *call, const char *key)
{
    for (const struct evkeyval *pair = call->query.tqh_first; pair != NULL;
         pair = pair->next.tqe_next)
        if (strcmp(pair->key, key) == 0)
            return pair->value[0] != '\0' ? pair->value : NULL;
    return NULL;
}

bool call_query_is_true(const struct api_call *call, const char *key)
{
    const char *value = call_query(call, key);
    return value != NULL && (strcmp(value, "true") == 0 || strcmp(value, "1") == 0);
}

static bool read_write_options(struct api_call *call)
{
    const char *dry_run = call_query(call, "dryRun");
    if (dry_run != NULL && strcmp(dry_run, "All") != 0)
        return failure_bad_request(&call->failure,
                                   "dryRun: Unsupported value: \"%s\": supported "
                                   "values: \"All\"",
                                   dry_run);
    call->write.dry_run = dry_run != NULL;
    const char *validation = call_query(call, "fieldValidation");
    bool known = validation == NULL || strcmp(validation, "Strict") == 0 ||
                 strcmp(validation, "Warn") == 0 || strcmp(validation, "Ignore") == 0;
    if (!known)
        return failure_bad_request(&call->failure,
                                   "fieldValidation: Unsupported value: \"%s\": "
                                   "supported values: \"Ignore\", \"Strict\", "
                                   "\"Warn\"",
                                   validation);
    call->checks_fields =
        call->request->from_user && (validation == NULL || strcmp(validation, "Ignore") != 0);
    call->write.lenient = validation == NULL || strcmp(validation, "Strict") != 0;
    if (validation == NULL || strcmp(validation, "Ignore") != 0) {
        call->response->warnings = json_array();
        call->write.warnings = call->response->warnings;
    }
    return true;
}

// The fieldManager of the query, else the program's name in the user agent.
static void read_manager(struct api_call *call)
{
    const char *name = call_query(call, "fieldManager"), *agent = call->request->user_agent;
    size_t length = name != NULL ? strlen(name) : agent != NULL ? strcspn(agent, "/") : 0;
    if (!call->request->from_user || length == 0 || length >= sizeof call->manager_name)
        return;
    memcpy(call->manager_name, name != NULL ? name : agent, length);
    call->manager =
        (struct field_manager){.name = call->manager_name, .subresource = call->path.subresource};
    call->write.manager = &call->manager;
}

// --- answers -------------------------------------------------------------------------------------

bool wants_table(const struct api_call *call)
{
    const char *accept = call->request->accept;
    return accept != NULL && strstr(accept, "as=Table") != NULL &&
           strstr(accept, "g=meta.k8s.io") != NULL;
}

bool answer_value(struct api_call *call, int status, json_t *value)
{
    call->response->status = status;
    call->response->body = value;
    return true;
}

bool answer_object(struct api_call *call, int status, json_t *object)
{
    json_t *seen = view_of(call->view, object);
    if (wants_table(call)) {
        json_t *table = table_of_object(call->view, seen, call_query(call, "includeObject"),
                                        loop_now_ns(call->server->loop), true);
        json_decref(seen);
        seen = table;
    }
    return answer_value(call, status, seen);
}

static bool method_not_allowed(struct api_call *call)
{
    return failure_set(&call->failure, 405, "MethodNotAllowed",
                       "the server does not allow this method on the requested resource");
}

static bool no_such_path(struct api_call *call)
{
    failure_set(&call->failure, 404, "NotFound",
                "the server could not find the requested resource");
    call->failure.details = json_object();
    return false;
}

// --- routing -------------------------------------------------------------------------------------

static bool is_method(const struct api_call *call, const char *method)
{
    return strcmp(call->request->method, method) == 0;
}

static bool collection_call(struct api_call *call)
{
    if (is_method(call, "GET"))
        return call_query_is_true(call, "watch") ? call_watch(call) : call_list(call);
    if (is_method(call, "POST"))
        return call_create(call);
    if (is_method(call, "DELETE"))
        return call_delete_collection(call);
    return method_not_allowed(call);
}

static bool object_call(struct api_call *call)
{
    if (is_method(call, "GET"))
        return call_query_is_true(call, "watch") ? call_watch(call) : call_get(call);
    if (is_method(call, "PUT"))
        return call_update(call);
    if (is_method(call, "PATCH"))
        return call_patch(call);
    if (is_method(call, "DELETE"))
        return call_delete(call);
    return method_not_allowed(call);
}

static bool status_call(struct api_call *call)
{
    if (is_method(call, "GET"))
        return call_get(call);
    if (is_method(call, "PUT"))
        return call_update(call);
    return is_method(call, "PATCH") ? call_patch(call) : method_not_allowed(call);
}

static bool only(struct api_call *call, const char *method, bool (*run)(struct api_call *call))
{
    return is_method(call, method) ? run(call) : method_not_allowed(call);
}

static bool is_container_call(const char *subresource)
{
    static const char *const names[] = {"log", "exec", "attach", "portforward", "proxy"};
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        if (strcmp(subresource, names[i]) == 0)
            return true;
    return false;
}

static bool subresource_call(struct api_call *call)
{
    const char *subresource = call->path.subresource;
    bool pods = call->resource == call->store->pods;
    if (strcmp(subresource, "status") == 0 && call->resource->status_subresource)
        return status_call(call);
    if (strcmp(subresource, "scale") == 0 && call->resource->scale_subresource)
        return is_method(call, "POST") || is_method(call, "DELETE") ? method_not_allowed(call)
                                                                    : call_scale(call);
    if (strcmp(subresource, "eviction") == 0 && pods)
        return only(call, "POST", call_evict);
    if (strcmp(subresource, "binding") == 0 && pods)
        return only(call, "POST", call_bind);
    if (is_container_call(subresource) && pods)
        return call_container(call);
    if (strcmp(subresource, "token") == 0 && call->resource == call->store->service_accounts)
        return call_token(call);
    return no_such_path(call);
}

static void find_resource(struct api_call *call)
{
    const struct api_path *path = &call->path;
    call->view = store_resource_find(call->store, path->group, path->version, path->plural);
    call->resource = call->view;
    if (call->view == NULL)
        call->view = view_find(call->server, path, &call->resource);
}

static bool scope_fits(const struct api_call *call)
{
    if (!call->resource->namespaced)
        return call->path.namespace == NULL;
    // Names are only unique in a namespace; lists and watches may cover all.
    return call->path.namespace != NULL || (call->path.name == NULL && !is_method(call, "POST"));
}

static bool resource_call(struct api_call *call)
{
    bool handled;
    if (!call_review(call, &handled))
        return false;
    if (handled)
        return true;
    if (!call_metrics(call, &handled))
        return false;
    if (handled)
        return true;
    if (call->path.namespace != NULL && strcmp(call->path.group, "") == 0 &&
        strcmp(call->path.plural, "bindings") == 0 && call->path.name == NULL)
        return only(call, "POST", call_bind);
    find_resource(call);
    if (call->resource == NULL || !scope_fits(call))
        return no_such_path(call);
    if (call->path.subresource != NULL)
        return subresource_call(call);
    return call->path.name != NULL ? object_call(call) : collection_call(call);
}

static bool route(struct api_call *call)
{
    if (!api_path_parse(call->request->path, &call->path))
        return no_such_path(call);
    if (!read_write_options(call))
        return false;
    read_manager(call);
    if (call->path.plural != NULL)
        return resource_call(call);
    if (!is_method(call, "GET"))
        return method_not_allowed(call);
    json_t *body = NULL;
    const char *content_type = NULL;
    if (discovery_answer(call->server->store, call->request->path, call->request->accept, &body,
                         &content_type, &call->response->text)) {
        call->response->content_type = content_type;
        return answer_value(call, 200, body);
    }
    return no_such_path(call);
}

void api_handle(struct api_server *server, const struct api_request *request,
                struct api_response *response)
{
    memset(response, 0, sizeof *response);
    struct api_call call = {
        .server = server, .store = server->store, .request = request, .response = response};
    if (evhttp_parse_query_str(request->query != NULL ? request->query : "", &call.query) != 0)
        failure_bad_request(&call.failure, "the query of the request cannot be read");
    else if (!route(&call) && call.failure.code == 0)
        failure_set(&call.failure, 500, "InternalError", "the request failed for no known reason");
    if (call.failure.code != 0) {
        json_decref(response->body);
        response->status = call.failure.code;
        response->body = failure_status(&call.failure);
    }
    evhttp_clear_headers(&call.query);
    api_path_clear(&call.path);
    failure_clear(&call.failure);
}
