#include "kube/transport/http_transport.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/memory.h"
#include "base/text.h"
#include "kube/transport/credentials.h"
#include "kube/transport/http_answer.h"
#include "kube/transport/http_easy.h"
#include "kube/transport/http_multi.h"
#include "kube/transport/http_turns.h"
#include "kube/transport/line_reader.h"
#include "kube/transport/status.h"

#define RESPONSE_BYTES_MAX ((size_t)512 << 20)

// libcurl's callbacks only collect bytes and results. The consequences (events, ends of calls, new
// requests) run in transport_dispatch(), on a timer of its own. There every function of libcurl and
// of the transport may be called, including its destruction.
enum call_state {
    CALL_QUEUED,  // until it is its turn
    CALL_WAITING, // for the credential plugin
    CALL_RUNNING, // in the multi
    CALL_ENDED,   // see `result` or `error`
};

struct kube_call {
    TAILQ_ENTRY(kube_call) all_link, ready_link;
    struct http_transport *transport;
    enum call_state state;
    struct http_turn turn;
    bool is_ready;              // in the ready list
    bool is_busy, is_cancelled; // a handler of this call is running; that handler has cancelled it
    bool is_retried;            // sent again after a 401
    bool is_overflown;
    enum kube_verb verb;
    enum patch_type patch_type;
    char *path; // without the query
    char *url;  // path and query
    char *body; // JSON text, or NULL
    bool (*may_send)(void *context);
    void *may_send_context;
    struct kube_handlers handlers;
    struct http_easy easy;
    uint64_t generation; // of the credential sent
    struct text answer;
    struct line_reader reader; // watches
    CURLcode result;
    struct error error;
};
TAILQ_HEAD(call_list, kube_call);

struct http_transport {
    struct kube_transport base;
    struct loop *loop;
    struct kube_config *config;
    struct http_target target;
    // Separate connections: libcurl visits every transfer of a connection at each arrival. On a
    // shared one it would visit all watches at each answer, and all calls at each event.
    struct http_multi *calls, *watches;
    struct credentials *credentials;
    size_t line_bytes_max, response_bytes_max;
    struct timer *dispatcher;
    struct call_list all, ready;
    struct http_turns turns;
    bool is_dispatching, is_destroyed; // the end of the dispatch frees it
};

static struct kube_call *transport_start(struct kube_transport *base,
                                         const struct kube_request *request,
                                         const struct kube_handlers *handlers);
static void transport_cancel(struct kube_transport *base, struct kube_call *call);
static void transport_destroy(struct kube_transport *base);
static void transport_dispatch(void *context);
static void transport_credentials_settled(void *context);
static bool transport_begin_next(struct http_transport *transport);
static void call_begin(struct kube_call *call);
static void call_send(struct kube_call *call);
static struct http_multi *call_multi(const struct kube_call *call);
static int call_is_about_to_be_sent(void *context, char *peer, char *own, int peer_port,
                                    int own_port);
static size_t call_receive(char *data, size_t size, size_t count, void *context);
static void call_transferred(void *context, CURLcode result);
static void call_make_ready(struct kube_call *call);
static void transport_wake(struct http_transport *transport);
static void call_dispatch(struct kube_call *call);
static bool call_is_stream(const struct kube_call *call);
static bool call_read_events(struct kube_call *call);
static bool call_retry(struct kube_call *call, int status);
static void call_finish(struct kube_call *call);
static void call_stop(struct kube_call *call);
static void call_unlink(struct kube_call *call);
static void call_free(struct kube_call *call);

static const struct kube_transport_operations operations = {
    .start = transport_start, .cancel = transport_cancel, .destroy = transport_destroy};

struct kube_transport *http_transport_create(struct loop *loop, const struct kube_config *config,
                                             const struct http_transport_options *options,
                                             struct error *error)
{
    struct http_multi *calls = http_multi_create(loop, error);
    if (calls == NULL)
        return NULL;
    struct http_transport *transport = memory_allocate(sizeof *transport);
    transport->base.operations = &operations;
    transport->loop = loop;
    transport->calls = calls;
    transport->watches = http_multi_create(loop, error);
    transport->config = kube_config_copy(config);
    TAILQ_INIT(&transport->all);
    TAILQ_INIT(&transport->ready);
    http_turns_init(&transport->turns);
    transport->line_bytes_max = options->line_bytes_max;
    transport->response_bytes_max =
        options->response_bytes_max != 0 ? options->response_bytes_max : RESPONSE_BYTES_MAX;
    transport->dispatcher = timer_create_on(loop, transport_dispatch, transport);
    transport->credentials =
        credentials_create(loop, transport->config, transport_credentials_settled, transport);
    if (transport->watches != NULL &&
        http_target_init(&transport->target, transport->config, options, error))
        return &transport->base;
    transport_destroy(&transport->base);
    return NULL;
}

static void transport_destroy(struct kube_transport *base)
{
    struct http_transport *transport = (struct http_transport *)base;
    while (!TAILQ_EMPTY(&transport->all))
        transport_cancel(base, TAILQ_FIRST(&transport->all));
    assert(!transport->is_destroyed);
    assert(TAILQ_EMPTY(&transport->ready));
    assert(http_turns_are_idle(&transport->turns));
    timer_destroy(transport->dispatcher);
    credentials_destroy(transport->credentials);
    http_multi_destroy(transport->calls);
    http_multi_destroy(transport->watches);
    http_target_clear(&transport->target);
    kube_config_free(transport->config);
    transport->is_destroyed = true;
    if (!transport->is_dispatching)
        free(transport);
}

static struct kube_call *transport_start(struct kube_transport *base,
                                         const struct kube_request *request,
                                         const struct kube_handlers *handlers)
{
    assert(request->path[0] == '/');
    assert(handlers->done != NULL);
    assert(request->verb != KUBE_WATCH || handlers->event != NULL);
    struct http_transport *transport = (struct http_transport *)base;
    struct kube_call *call = memory_allocate(sizeof *call);
    call->transport = transport;
    call->verb = request->verb;
    call->patch_type = request->patch_type;
    call->handlers = *handlers;
    call->may_send = request->may_send;
    call->may_send_context = request->may_send_context;
    call->reader.line_bytes_max = transport->line_bytes_max;
    call->path = memory_copy_string(request->path);
    bool has_query = request->query != NULL && request->query[0] != '\0';
    struct text url = {0};
    text_format(&url, "%s%s%s", request->path, has_query ? "?" : "",
                has_query ? request->query : "");
    call->url = text_take(&url);
    if (request->body != NULL) {
        call->body = json_dumps(request->body, JSON_COMPACT | JSON_ENCODE_ANY);
        assert(call->body != NULL);
    }
    call->turn = (struct http_turn){.kind = http_turn_kind(call->verb, call->path), .call = call};
    TAILQ_INSERT_TAIL(&transport->all, call, all_link);
    call_begin(call);
    return call;
}

static void transport_cancel(struct kube_transport *base, struct kube_call *call)
{
    assert(call->transport == (struct http_transport *)base);
    assert(!call->is_cancelled);
    call_stop(call);
    call_unlink(call);
    call->is_cancelled = true;
    if (!call->is_busy)
        call_free(call);
}

static void transport_dispatch(void *context)
{
    struct http_transport *transport = context;
    assert(!transport->is_dispatching);
    struct kube_call *call;
    transport->is_dispatching = true;
    do { // destruction leaves neither ready nor queued calls
        while ((call = TAILQ_FIRST(&transport->ready)) != NULL) {
            TAILQ_REMOVE(&transport->ready, call, ready_link);
            call->is_ready = false;
            call_dispatch(call);
        }
    } while (transport_begin_next(transport));
    transport->is_dispatching = false;
    if (transport->is_destroyed)
        free(transport);
}

static bool transport_begin_next(struct http_transport *transport)
{
    struct http_turn *turn = http_turns_next(&transport->turns);
    if (turn == NULL)
        return false;
    assert(turn->call->state == CALL_QUEUED);
    call_send(turn->call);
    return true;
}

static void transport_credentials_settled(void *context)
{
    struct http_transport *transport = context;
    struct kube_call *call;
    TAILQ_FOREACH(call, &transport->all, all_link)
    if (call->state == CALL_WAITING)
        call_send(call);
}

// Sends the request or queues it; never calls a handler.
static void call_begin(struct kube_call *call)
{
    if (http_turns_begin(&call->transport->turns, &call->turn))
        call_send(call);
    else
        call->state = CALL_QUEUED;
}

// Sends the request, or waits for the credential.
static void call_send(struct kube_call *call)
{
    assert(call->state != CALL_RUNNING);
    assert(!call->is_cancelled);
    struct http_transport *transport = call->transport;
    struct credential credential;
    call->error = (struct error){0};
    switch (credentials_get(transport->credentials, &credential, &call->error)) {
    case CREDENTIALS_PENDING:
        call->state = CALL_WAITING;
        return;
    case CREDENTIALS_FAILED:
        call->state = CALL_ENDED;
        call_make_ready(call);
        return;
    case CREDENTIALS_READY:
        break;
    }
    call->error = (struct error){0}; // an older token that is still valid
    call->generation = credential.generation;
    assert(call->easy.curl == NULL);
    http_easy_init(
        &call->easy, &transport->target,
        &(struct http_request){call->verb, call->patch_type, call->url, call->body, &credential},
        call_receive, call);
    if (call->may_send != NULL) {
        curl_easy_setopt(call->easy.curl, CURLOPT_PREREQFUNCTION, call_is_about_to_be_sent);
        curl_easy_setopt(call->easy.curl, CURLOPT_PREREQDATA, call);
    }
    call->state = CALL_RUNNING;
    http_multi_add(call_multi(call), call->easy.curl, call_transferred, call);
}

static struct http_multi *call_multi(const struct kube_call *call)
{
    return call->verb == KUBE_WATCH ? call->transport->watches : call->transport->calls;
}

// Called by libcurl with the connection made, right before the request.
static int call_is_about_to_be_sent(void *context, char *peer, char *own, int peer_port,
                                    int own_port)
{
    struct kube_call *call = context;
    (void)peer, (void)own, (void)peer_port, (void)own_port;
    assert(call->state == CALL_RUNNING);
    if (call->may_send(call->may_send_context))
        return CURL_PREREQFUNC_OK;
    error_set(&call->error, ERROR_UNAVAILABLE, "%s %s%s: not sent, this replica does not lead",
              http_method(call->verb), call->transport->target.shown_url, call->path);
    return CURL_PREREQFUNC_ABORT;
}

static size_t call_receive(char *data, size_t size, size_t count, void *context)
{
    struct kube_call *call = context;
    size_t length = size * count;
    if (call_is_stream(call)) {
        line_reader_feed(&call->reader, data, length);
        call_make_ready(call);
        return length;
    }
    if (length > call->transport->response_bytes_max - call->answer.length) {
        call->is_overflown = true;
        return CURL_WRITEFUNC_ERROR;
    }
    text_add_bytes(&call->answer, data, length);
    return length;
}

static void call_transferred(void *context, CURLcode result)
{
    struct kube_call *call = context;
    assert(call->state == CALL_RUNNING);
    call->result = result;
    call->state = CALL_ENDED;
    call_make_ready(call);
}

static void call_make_ready(struct kube_call *call)
{
    if (call->is_ready)
        return;
    call->is_ready = true;
    TAILQ_INSERT_TAIL(&call->transport->ready, call, ready_link);
    transport_wake(call->transport);
}

static void transport_wake(struct http_transport *transport)
{
    if (!transport->is_dispatching && !timer_is_running(transport->dispatcher))
        timer_start(transport->dispatcher, 0);
}

static void call_dispatch(struct kube_call *call)
{
    if (call_is_stream(call) && !call_read_events(call))
        return;
    if (call->state == CALL_ENDED)
        call_finish(call);
}

static bool call_is_stream(const struct kube_call *call)
{
    return call->verb == KUBE_WATCH && http_answer_status(call->easy.curl) / 100 == 2 &&
           http_answer_has_json(call->easy.curl);
}

// Returns false if the call has been destroyed. A malformed or ERROR event ends the transfer, with
// the reason in `error`.
static bool call_read_events(struct kube_call *call)
{
    json_t *event;
    enum line_result result = LINE_NEED_MORE;
    call->is_busy = true;
    while (!call->is_cancelled && call->error.kind == ERROR_NONE &&
           (result = line_reader_next(&call->reader, &event, &call->error)) == LINE_VALUE) {
        if (text_equal(json_string_value(json_object_get(event, "type")), "ERROR"))
            status_to_error(0, json_object_get(event, "object"), call->path, &call->error);
        else
            call->handlers.event(call->handlers.context, event);
        json_decref(event);
    }
    call->is_busy = false;
    if (call->is_cancelled) {
        call_free(call);
        return false;
    }
    if (result == LINE_FAILED)
        error_prefix(&call->error, "watch of %s%s", call->transport->target.shown_url, call->path);
    if (call->error.kind != ERROR_NONE && call->state == CALL_RUNNING) {
        call_stop(call);
        call->state = CALL_ENDED;
    }
    return true;
}

static void call_finish(struct kube_call *call)
{
    assert(call->state == CALL_ENDED);
    assert(!call->is_busy);
    struct kube_response response = {0};
    if (call->error.kind != ERROR_NONE) { // no credential, or a bad watch event
        response.error = call->error;
    } else if (call->is_overflown) {
        error_set(&response.error, ERROR_INTERNAL, "%s %s%s: the answer is longer than %zu bytes",
                  http_method(call->verb), call->transport->target.shown_url, call->path,
                  call->transport->response_bytes_max);
    } else if (call->result != CURLE_OK) {
        http_easy_error(&call->easy, &call->transport->target, call->verb, call->path, call->result,
                        &response.error);
    } else if (call_is_stream(call)) {
        response.status = http_answer_status(call->easy.curl);
        if (line_reader_has_rest(&call->reader))
            error_set(&response.error, ERROR_UNAVAILABLE,
                      "watch of %s%s ended in the middle of an event",
                      call->transport->target.shown_url, call->path);
    } else if (call_retry(call, http_answer_status(call->easy.curl))) {
        return;
    } else {
        http_answer_read(&(struct http_answer){.curl = call->easy.curl,
                                               .server = call->transport->target.shown_url,
                                               .path = call->path,
                                               .verb = call->verb},
                         &call->answer, &response);
    }
    struct kube_handlers handlers = call->handlers;
    call_unlink(call);
    call_free(call);
    handlers.done(handlers.context, &response);
    json_decref(response.body);
}

// Renews a refused credential and sends the request once more.
static bool call_retry(struct kube_call *call, int status)
{
    assert(call->easy.curl != NULL || status == 0);
    if (status != 401 || call->is_retried ||
        !credentials_refused(call->transport->credentials, call->generation))
        return false;
    call->is_retried = true;
    http_easy_clear(&call->easy);
    text_clear(&call->answer);
    call_send(call);
    return true;
}

static void call_stop(struct kube_call *call)
{
    if (call->state == CALL_RUNNING)
        http_multi_remove(call_multi(call), call->easy.curl);
}

static void call_unlink(struct kube_call *call)
{
    struct http_transport *transport = call->transport;
    if (call->is_ready)
        TAILQ_REMOVE(&transport->ready, call, ready_link);
    call->is_ready = false;
    TAILQ_REMOVE(&transport->all, call, all_link);
    http_turns_end(&transport->turns, &call->turn);
    if (http_turns_are_awaited(&transport->turns))
        transport_wake(transport);
}

static void call_free(struct kube_call *call)
{
    assert(!call->is_busy);
    http_easy_clear(&call->easy);
    line_reader_free(&call->reader);
    text_free(&call->answer);
    free(call->body);
    free(call->path);
    free(call->url);
    free(call);
}
