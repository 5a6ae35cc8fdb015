#include "kube/fake_transport.h"

#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/memory.h"
#include "kube/transport/status.h"

static void serve(void *context)
{
    struct kube_call *call = context;
    call->transport->serve(call->transport->context, call);
}

static void call_free(struct kube_call *call)
{
    TAILQ_REMOVE(&call->transport->calls, call, link);
    timer_destroy(call->timer);
    json_decref(call->body);
    free(call->path);
    free(call->query);
    free(call);
}

static struct kube_call *start(struct kube_transport *base, const struct kube_request *request,
                               const struct kube_handlers *handlers)
{
    struct fake_transport *transport = (struct fake_transport *)base;
    struct kube_call *call = memory_allocate(sizeof *call);
    call->transport = transport;
    call->verb = request->verb;
    call->patch_type = request->patch_type;
    call->path = memory_copy_string(request->path);
    call->query = memory_copy_string(request->query != NULL ? request->query : "");
    call->body = json_deep_copy(request->body);
    call->handlers = *handlers;
    call->timer = timer_create_on(transport->loop, serve, call);
    timer_start(call->timer, MILLISECOND);
    TAILQ_INSERT_TAIL(&transport->calls, call, link);
    transport->started++;
    return call;
}

static void cancel(struct kube_transport *base, struct kube_call *call)
{
    ((struct fake_transport *)base)->cancelled++;
    call_free(call);
}

static void destroy(struct kube_transport *base)
{
    struct fake_transport *transport = (struct fake_transport *)base;
    while (!TAILQ_EMPTY(&transport->calls))
        call_free(TAILQ_FIRST(&transport->calls));
    free(transport);
}

static const struct kube_transport_operations operations = {start, cancel, destroy};

struct fake_transport *fake_transport_create(
    struct loop *loop, void (*function)(void *context, struct kube_call *call), void *context)
{
    struct fake_transport *transport = memory_allocate(sizeof *transport);
    transport->base.operations = &operations;
    transport->loop = loop;
    transport->serve = function;
    transport->context = context;
    TAILQ_INIT(&transport->calls);
    return transport;
}

struct kube_call *fake_find(struct fake_transport *transport, enum kube_verb verb, const char *path)
{
    struct kube_call *call;
    TAILQ_FOREACH(call, &transport->calls, link)
    if (call->verb == verb && strcmp(call->path, path) == 0)
        return call;
    return NULL;
}

static void finish(struct kube_call *call, struct kube_response *response)
{
    struct kube_handlers handlers = call->handlers;
    call_free(call);
    handlers.done(handlers.context, response);
    json_decref(response->body);
}

void fake_answer(struct kube_call *call, int status, json_t *body)
{
    struct kube_response response = {.status = status, .body = body};
    if (status / 100 != 2)
        status_to_error(status, body, call->path, &response.error);
    response.retry_after_ns = status_retry_after_ns(body);
    finish(call, &response);
}

void fake_refuse(struct kube_call *call, int status, const char *reason, const char *message)
{
    fake_answer(call, status,
                json_pack("{s:s, s:s, s:s, s:s, s:s, s:i}", "kind", "Status", "apiVersion", "v1",
                          "status", "Failure", "reason", reason, "message", message, "code",
                          status));
}

void fake_refuse_later(struct kube_call *call, int status, int64_t retry_after_ns)
{
    struct kube_response response = {.status = status, .retry_after_ns = retry_after_ns};
    status_to_error(status, NULL, call->path, &response.error);
    finish(call, &response);
}

void fake_fail(struct kube_call *call, enum error_kind kind, const char *message)
{
    struct kube_response response = {0};
    error_set(&response.error, kind, "%s", message);
    finish(call, &response);
}

void fake_event(struct kube_call *call, const char *type, json_t *object)
{
    json_t *event = json_pack("{s:s, s:o}", "type", type, "object", object);
    call->handlers.event(call->handlers.context, event);
    json_decref(event);
}

void fake_end(struct kube_call *call, enum error_kind kind)
{
    struct kube_response response = {.status = 200};
    if (kind != ERROR_NONE)
        error_set(&response.error, kind, "the watch has ended");
    finish(call, &response);
}

json_t *fake_pod(const char *namespace, const char *name, const char *uid, const char *version)
{
    return json_pack("{s:s, s:s, s:{s:s, s:s, s:s, s:s}, s:{s:[{s:s}]}}", "apiVersion", "v1",
                     "kind", "Pod", "metadata", "name", name, "namespace", namespace, "uid", uid,
                     "resourceVersion", version, "spec", "containers", "name", "c");
}

json_t *fake_list(const char *version, const char *continue_token, json_t *items)
{
    return json_pack("{s:s, s:{s:s, s:s}, s:o}", "kind", "List", "metadata", "resourceVersion",
                     version, "continue", continue_token, "items", items);
}
