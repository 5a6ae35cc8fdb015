#include "kube/transport/metered_transport.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/memory.h"
#include "base/nanoseconds.h"

#define DURATION_BUCKETS 20
#define PATH_PARTS_MAX   8
#define PATH_MAX_BYTES   1024

struct kube_call {
    LIST_ENTRY(kube_call) link;
    struct metered_transport *transport;
    struct kube_call *inner;
    struct kube_handlers handlers;
    enum kube_verb verb;
    char *path;
    int64_t started_ns;
    bool is_counted; // watches: at the first event
};

struct metered_transport {
    struct kube_transport base;
    struct loop *loop;
    struct kube_transport *inner;
    struct metric *requests, *seconds;
    LIST_HEAD(, kube_call) calls;
};

struct resource { // the parts of a path
    char text[PATH_MAX_BYTES];
    const char *group, *version, *kind, *subresource; // in `text`
    bool has_name;
};

static struct kube_call *transport_start(struct kube_transport *base,
                                         const struct kube_request *request,
                                         const struct kube_handlers *handlers);
static void transport_cancel(struct kube_transport *base, struct kube_call *call);
static void transport_destroy(struct kube_transport *base);
static void call_done(void *context, const struct kube_response *response);
static void call_event(void *context, const json_t *event);
static void call_free(struct kube_call *call);
static void count(const struct kube_call *call, int status);
static void observe(const struct kube_call *call);
static bool resource_parse(const char *path, struct resource *resource);

static const struct kube_transport_operations operations = {
    .start = transport_start, .cancel = transport_cancel, .destroy = transport_destroy};

struct kube_transport *metered_transport_create(struct loop *loop, struct kube_transport *inner,
                                                struct metrics *metrics)
{
    assert(inner != NULL);
    assert(metrics != NULL);
    double buckets[DURATION_BUCKETS];
    double bound = 0.001;
    for (size_t i = 0; i < DURATION_BUCKETS; i++, bound *= 1.5)
        buckets[i] = bound;
    struct metered_transport *transport = memory_allocate(sizeof *transport);
    transport->base.operations = &operations;
    transport->loop = loop;
    transport->inner = inner;
    transport->requests = metrics_register(
        metrics, &(struct metric_options){.name = "client_go_request_total",
                                          .help = "Requests to the API server by answer.",
                                          .type = METRIC_COUNTER,
                                          .labels = {"code", "method"}});
    transport->seconds = metrics_register(
        metrics,
        &(struct metric_options){.name = "client_go_request_duration_seconds",
                                 .help = "Time of requests to the API server.",
                                 .type = METRIC_HISTOGRAM,
                                 .labels = {"verb", "group", "version", "kind", "subresource"},
                                 .buckets = buckets,
                                 .buckets_count = DURATION_BUCKETS});
    // From 0 on, so that the first refusal counts in increase().
    static const char *const methods[] = {"GET", "POST", "PUT", "PATCH", "DELETE"};
    for (size_t i = 0; i < ARRAY_LENGTH(methods); i++)
        metric_add(transport->requests, 0, "403", methods[i]);
    LIST_INIT(&transport->calls);
    return &transport->base;
}

static void transport_destroy(struct kube_transport *base)
{
    struct metered_transport *transport = (struct metered_transport *)base;
    transport->inner->operations->destroy(transport->inner);
    while (!LIST_EMPTY(&transport->calls))
        call_free(LIST_FIRST(&transport->calls));
    free(transport);
}

static struct kube_call *transport_start(struct kube_transport *base,
                                         const struct kube_request *request,
                                         const struct kube_handlers *handlers)
{
    assert(handlers->done != NULL);
    assert(request->verb <= KUBE_DELETE);
    struct metered_transport *transport = (struct metered_transport *)base;
    struct kube_call *call = memory_allocate(sizeof *call);
    *call = (struct kube_call){.transport = transport,
                               .handlers = *handlers,
                               .verb = request->verb,
                               .path = memory_copy_string(request->path),
                               .started_ns = loop_monotonic_ns(transport->loop)};
    LIST_INSERT_HEAD(&transport->calls, call, link);
    struct kube_handlers own = {
        .done = call_done, .event = handlers->event != NULL ? call_event : NULL, .context = call};
    call->inner = transport->inner->operations->start(transport->inner, request, &own);
    return call;
}

static void transport_cancel(struct kube_transport *base, struct kube_call *call)
{
    struct metered_transport *transport = (struct metered_transport *)base;
    assert(call->transport == transport);
    transport->inner->operations->cancel(transport->inner, call->inner);
    call_free(call);
}

static void call_done(void *context, const struct kube_response *response)
{
    struct kube_call *call = context;
    // A watch that ended normally counts as answered 200.
    bool ordinary = response->status == 0 && response->error.kind == ERROR_NONE;
    if (!call->is_counted)
        count(call, ordinary ? 200 : response->status);
    if (call->verb != KUBE_WATCH)
        observe(call);
    struct kube_handlers handlers = call->handlers;
    call_free(call);
    handlers.done(handlers.context, response); // may destroy the transport
}

static void call_event(void *context, const json_t *event)
{
    struct kube_call *call = context;
    assert(call->verb == KUBE_WATCH);
    if (!call->is_counted)
        count(call, 200);
    call->is_counted = true;
    call->handlers.event(call->handlers.context, event); // may cancel the call
}

static void call_free(struct kube_call *call)
{
    LIST_REMOVE(call, link);
    free(call->path);
    free(call);
}

static void count(const struct kube_call *call, int status)
{
    static const char *const methods[] = {
        [KUBE_GET] = "GET",      [KUBE_LIST] = "GET",   [KUBE_WATCH] = "GET",
        [KUBE_CREATE] = "POST",  [KUBE_UPDATE] = "PUT", [KUBE_PATCH] = "PATCH",
        [KUBE_DELETE] = "DELETE"};
    char code[16] = "<error>"; // no answer
    if (status != 0)
        snprintf(code, sizeof code, "%d", status);
    metric_add(call->transport->requests, 1, code, methods[call->verb]);
}

static void observe(const struct kube_call *call)
{
    assert(call->verb != KUBE_WATCH); // a watch has no duration
    static const char *const verbs[] = {
        [KUBE_GET] = "GET",       [KUBE_LIST] = "LIST",     [KUBE_WATCH] = "LIST",
        [KUBE_CREATE] = "CREATE", [KUBE_UPDATE] = "UPDATE", [KUBE_PATCH] = "PATCH",
        [KUBE_DELETE] = "DELETE"};
    struct resource resource;
    if (!resource_parse(call->path, &resource))
        return; // /version, /readyz
    const char *verb =
        call->verb == KUBE_GET && !resource.has_name ? verbs[KUBE_LIST] : verbs[call->verb];
    int64_t passed_ns = ns_subtract(loop_monotonic_ns(call->transport->loop), call->started_ns);
    metric_observe(call->transport->seconds, (double)passed_ns / SECOND, verb, resource.group,
                   resource.version, resource.kind, resource.subresource);
}

// /api/VERSION/... or /apis/GROUP/VERSION/..., there
// [namespaces/NAMESPACE/]KIND[/NAME[/SUBRESOURCE]].
static bool resource_parse(const char *path, struct resource *resource)
{
    const char *parts[PATH_PARTS_MAX] = {0};
    size_t parts_count = 0;
    *resource = (struct resource){.group = "", .subresource = ""};
    snprintf(resource->text, sizeof resource->text, "%s", path);
    char *rest = resource->text;
    for (char *part; parts_count < PATH_PARTS_MAX && (part = strsep(&rest, "/")) != NULL;)
        if (*part != '\0')
            parts[parts_count++] = part;
    bool has_group = parts_count > 0 && strcmp(parts[0], "apis") == 0;
    if (parts_count == 0 || (!has_group && strcmp(parts[0], "api") != 0))
        return false;
    size_t at = has_group ? 2 : 1;
    if (parts_count < at + 2)
        return false; // discovery
    resource->group = has_group ? parts[1] : "";
    resource->version = parts[at++];
    if (strcmp(parts[at], "namespaces") == 0 && parts_count > at + 2)
        at += 2;
    resource->kind = parts[at];
    resource->has_name = parts_count > at + 1;
    if (parts_count > at + 2)
        resource->subresource = parts[at + 2];
    return true;
}
