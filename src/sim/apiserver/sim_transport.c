#include "sim/apiserver/sim_transport.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/random.h"
#include "base/text.h"
#include "kube/transport/status.h"
#include "sim/apiserver/api_watch.h"
#include "sim/apiserver/sim_call.h"
#include "sim/apiserver/sim_watch.h"

#define REQUEST_TIMEOUT_DEFAULT (30 * SECOND)
#define STALL_DEFAULT           (10 * SECOND)

static struct kube_call *start(struct kube_transport *base, const struct kube_request *request,
                               const struct kube_handlers *handlers);
static void cancel(struct kube_transport *base, struct kube_call *call);
static void destroy(struct kube_transport *base);
static void on_timer(void *context);
static void take_effect(struct kube_call *call);

static const struct kube_transport_operations operations = {start, cancel, destroy};

struct kube_transport *sim_transport_create(struct loop *loop, struct api_server *server,
                                            const struct sim_transport_options *options)
{
    struct sim_transport *transport = memory_allocate(sizeof *transport);
    transport->base.operations = &operations;
    transport->loop = loop;
    transport->server = server;
    transport->options = *options;
    if (transport->options.request_timeout_ns == 0)
        transport->options.request_timeout_ns = REQUEST_TIMEOUT_DEFAULT;
    if (transport->options.watch_stall_ns == 0)
        transport->options.watch_stall_ns = STALL_DEFAULT;
    random_seed(&transport->random, options->seed);
    TAILQ_INIT(&transport->calls);
    return &transport->base;
}

static struct sim_transport *transport_of(const struct kube_transport *base)
{
    assert(base->operations == &operations);
    return (struct sim_transport *)base;
}

void sim_transport_set_faults(struct kube_transport *base, const struct sim_faults *faults)
{
    transport_of(base)->options.faults = *faults;
}

const struct sim_transport_statistics *sim_transport_statistics(const struct kube_transport *base)
{
    return &transport_of(base)->statistics;
}

// --- calls ---------------------------------------------------------------------------------------

static enum fate draw_fate(struct sim_transport *transport, enum kube_verb verb)
{
    const struct sim_faults *faults = &transport->options.faults;
    struct random *random = &transport->random;
    if (verb == KUBE_WATCH)
        return random_chance(random, faults->watch_refused) ? FATE_WATCH_REFUSED : FATE_NORMAL;
    if (random_chance(random, faults->internal_error))
        return FATE_INTERNAL_ERROR;
    if (random_chance(random, faults->too_many_requests))
        return FATE_TOO_MANY_REQUESTS;
    if ((verb == KUBE_UPDATE || verb == KUBE_PATCH) && random_chance(random, faults->conflict))
        return FATE_CONFLICT;
    if (random_chance(random, faults->lost_request))
        return FATE_LOST_REQUEST;
    if (random_chance(random, faults->lost_answer))
        return FATE_LOST_ANSWER;
    if (random_chance(random, faults->reset))
        return random_chance(random, 0.5) ? FATE_RESET_BEFORE : FATE_RESET_AFTER;
    return FATE_NORMAL;
}

// The query of a watch contains watch=true, whatever the client wrote.
static char *query_of(const struct kube_request *request)
{
    const char *query = request->query != NULL ? request->query : "";
    struct text text = {0};
    text_add(&text, query);
    if (request->verb == KUBE_WATCH && strstr(query, "watch=") == NULL)
        text_join(&text, "&", "watch=true");
    return text_take(&text);
}

static struct kube_call *start(struct kube_transport *base, const struct kube_request *request,
                               const struct kube_handlers *handlers)
{
    struct sim_transport *transport = transport_of(base);
    assert(request->verb != KUBE_WATCH || handlers->event != NULL);
    struct kube_call *call = memory_allocate(sizeof *call);
    call->transport = transport;
    call->verb = request->verb;
    call->patch_type = request->patch_type;
    call->path = memory_copy_string(request->path);
    call->query = query_of(request);
    call->request_body = json_deep_copy(request->body);
    call->handlers = *handlers;
    STAILQ_INIT(&call->events);
    TAILQ_INSERT_TAIL(&transport->calls, call, link);
    call->fate = draw_fate(transport, call->verb);
    call->latency_ns = sim_draw_between(&transport->random, transport->options.latency_min_ns,
                                        transport->options.latency_max_ns);
    int64_t effect_ns = sim_draw_between(&transport->random, 0, call->latency_ns);
    call->answer_ns = ns_subtract(call->latency_ns, effect_ns);
    call->timer = timer_create_on(transport->loop, on_timer, call);
    timer_start(call->timer, effect_ns);
    if (call->verb == KUBE_WATCH)
        transport->statistics.watches++;
    else
        transport->statistics.requests++;
    return call;
}

static void call_free(struct kube_call *call)
{
    if (call->gone != NULL)
        *call->gone = true;
    TAILQ_REMOVE(&call->transport->calls, call, link);
    api_watch_destroy(call->watch);
    sim_watch_drop_events(call);
    timer_destroy(call->timer);
    json_decref(call->request_body);
    json_decref(call->body);
    free(call->path);
    free(call->query);
    free(call);
}

static void cancel(struct kube_transport *base, struct kube_call *call)
{
    assert(call->transport == transport_of(base));
    call_free(call);
}

static void destroy(struct kube_transport *base)
{
    struct sim_transport *transport = transport_of(base);
    while (!TAILQ_EMPTY(&transport->calls))
        call_free(TAILQ_FIRST(&transport->calls));
    free(transport);
}

static void finish(struct kube_call *call)
{
    struct kube_response response = {.status = call->status,
                                     .body = call->body,
                                     .error = call->error,
                                     .retry_after_ns = call->retry_after_ns};
    struct kube_handlers handlers = call->handlers;
    call->body = NULL;
    call_free(call);
    handlers.done(handlers.context, &response);
    json_decref(response.body);
}

static void on_timer(void *context)
{
    struct kube_call *call = context;
    switch (call->stage) {
    case STAGE_UNDERWAY:
        take_effect(call);
        return;
    case STAGE_ANSWERED:
    case STAGE_ENDING:
        finish(call);
        return;
    case STAGE_WATCHING:
        if (sim_watch_deliver(call))
            finish(call);
        return;
    }
}

// --- requests ------------------------------------------------------------------------------------

static void answer_later(struct kube_call *call, int64_t delay_ns)
{
    call->stage = STAGE_ANSWERED;
    timer_start(call->timer, delay_ns);
}

// No answer: the client's timeout ends the request.
static void answer_never(struct kube_call *call)
{
    call->status = 0;
    json_decref(call->body);
    call->body = NULL;
    api_watch_destroy(call->watch);
    call->watch = NULL;
    error_set(&call->error, ERROR_TIMEOUT, "%s: no answer in time", call->path);
    answer_later(call, ns_subtract(call->transport->options.request_timeout_ns, call->latency_ns));
}

static void answer_reset(struct kube_call *call)
{
    call->status = 0;
    json_decref(call->body);
    call->body = NULL;
    error_set(&call->error, ERROR_UNAVAILABLE, "%s: connection reset by peer", call->path);
    answer_later(call, call->answer_ns);
}

static void answer_status(struct kube_call *call, int code, const char *reason, const char *message)
{
    call->status = code;
    call->body = json_pack("{s:s, s:s, s:{}, s:s, s:s, s:s, s:i}", "kind", "Status", "apiVersion",
                           "v1", "metadata", "status", "Failure", "reason", reason, "message",
                           message, "code", code);
    if (code == 429)
        json_object_set_new(call->body, "details", json_pack("{s:i}", "retryAfterSeconds", 1));
    status_to_error(code, call->body, call->path, &call->error);
    call->retry_after_ns = status_retry_after_ns(call->body);
    answer_later(call, call->answer_ns);
}

static struct kube_request request_of(const struct kube_call *call)
{
    return (struct kube_request){.verb = call->verb,
                                 .path = call->path,
                                 .query = call->query,
                                 .patch_type = call->patch_type,
                                 .body = call->request_body};
}

static bool hook_answers(struct kube_call *call)
{
    const struct sim_transport_options *options = &call->transport->options;
    struct kube_request request = request_of(call);
    struct kube_response response = {0};
    if (options->fault == NULL || !options->fault(options->fault_context, &request, &response))
        return false;
    call->status = response.status;
    call->body = response.body;
    call->error = response.error;
    call->retry_after_ns = response.retry_after_ns;
    if (call->error.kind == ERROR_NONE && call->status / 100 != 2)
        status_to_error(call->status, call->body, call->path, &call->error);
    answer_later(call, call->answer_ns);
    return true;
}

// True if the call's fate has answered it before its effect.
static bool fate_answers(struct kube_call *call)
{
    switch (call->fate) {
    case FATE_NORMAL:
    case FATE_LOST_ANSWER:
    case FATE_RESET_AFTER:
        return false;
    case FATE_INTERNAL_ERROR:
    case FATE_WATCH_REFUSED:
        answer_status(call, 500, "InternalError", "Internal error occurred: simulated fault");
        return true;
    case FATE_TOO_MANY_REQUESTS:
        answer_status(
            call, 429, "TooManyRequests",
            "the server has received too many requests and has asked us to try again later");
        return true;
    case FATE_CONFLICT:
        answer_status(
            call, 409, "Conflict",
            "the object has been modified; please apply your changes to the latest version "
            "and try again");
        return true;
    case FATE_LOST_REQUEST:
        answer_never(call);
        return true;
    case FATE_RESET_BEFORE:
        answer_reset(call);
        return true;
    }
    return false;
}

static const char *method_of(enum kube_verb verb)
{
    static const char *const methods[] = {
        [KUBE_GET] = "GET",       [KUBE_LIST] = "GET",   [KUBE_WATCH] = "GET",
        [KUBE_CREATE] = "POST",   [KUBE_UPDATE] = "PUT", [KUBE_PATCH] = "PATCH",
        [KUBE_DELETE] = "DELETE",
    };
    return methods[verb];
}

static const char *media_type_of(const struct kube_call *call)
{
    static const char *const types[] = {
        [PATCH_MERGE] = "application/merge-patch+json",
        [PATCH_JSON] = "application/json-patch+json",
        [PATCH_STRATEGIC] = "application/strategic-merge-patch+json",
        [PATCH_APPLY] = "application/apply-patch+yaml",
    };
    return call->verb == KUBE_PATCH ? types[call->patch_type] : "application/json";
}

static void ask_server(struct kube_call *call)
{
    struct api_request request = {.method = method_of(call->verb),
                                  .path = call->path,
                                  .query = call->query,
                                  .content_type = media_type_of(call),
                                  .body = call->request_body};
    struct api_response response;
    api_handle(call->transport->server, &request, &response);
    call->status = response.status;
    call->body = json_incref(response.body);
    call->watch = response.watch;
    response.watch = NULL;
    if (call->status / 100 != 2)
        status_to_error(call->status, call->body, call->path, &call->error);
    call->retry_after_ns = response.retry_after_seconds > 0
                               ? ns_multiply(response.retry_after_seconds, SECOND)
                               : status_retry_after_ns(call->body);
    api_response_clear(&response);
}

static void take_effect(struct kube_call *call)
{
    struct sim_transport *transport = call->transport;
    if (call->fate != FATE_NORMAL)
        transport->statistics.faults++;
    if (transport->cut) {
        answer_never(call);
        return;
    }
    if (hook_answers(call)) {
        transport->statistics.faults++;
        return;
    }
    if (fate_answers(call))
        return;
    ask_server(call);
    struct kube_request request = request_of(call);
    const struct sim_transport_options *options = &transport->options;
    bool loses =
        options->lose_answer != NULL && options->lose_answer(options->fault_context, &request);
    if (loses || call->fate == FATE_LOST_ANSWER)
        answer_never(call);
    else if (call->fate == FATE_RESET_AFTER)
        answer_reset(call);
    else if (call->watch != NULL)
        sim_watch_begin(call);
    else
        answer_later(call, call->answer_ns);
}

// --- partitions ----------------------------------------------------------------------------------

void sim_transport_cut(struct kube_transport *base, bool cut)
{
    struct sim_transport *transport = transport_of(base);
    if (cut == transport->cut)
        return;
    transport->cut = cut;
    struct kube_call *call;
    TAILQ_FOREACH(call, &transport->calls, link)
    {
        if (cut && call->stage == STAGE_ANSWERED && call->error.kind != ERROR_TIMEOUT)
            answer_never(call);
        else if (cut && call->stage == STAGE_WATCHING)
            timer_stop(call->timer);
        else if (!cut && call->stage == STAGE_WATCHING && call->missed_event)
            sim_watch_reset(call);
        else if (!cut && call->stage == STAGE_WATCHING)
            sim_watch_set_timer(call);
    }
}
