#include "kube/client_call.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "model/schema/decode.h"
#include "model/tables/kinds.h"

#define RETRIES_MAX        3
#define RETRY_BACKOFF_NS   (100 * MILLISECOND) // doubles each time, times 1 to 2 at random
#define RETRY_AFTER_MAX_NS (30 * SECOND)

static void call_send(void *context);
static bool reads_only(enum kube_verb verb);
static bool call_may_be_sent(const struct client_call *call);
static void call_refuse(struct client_call *call);
static void call_done(void *context, const struct kube_response *response);
static bool call_retry(struct client_call *call, const struct kube_response *response);
static void call_wait(struct client_call *call, int64_t delay_ns);
static struct object *decode_answer(enum kind_id kind, const json_t *body);
static void listing_free(struct listing *listing);

struct client_call *client_call_create(struct kube_client *client, enum kube_verb verb,
                                       enum kind_id kind, const char *path, kube_callback callback,
                                       void *context)
{
    assert(path[0] == '/');
    assert(kind <= KIND_COUNT);
    assert(callback != NULL);
    struct client_call *call = memory_allocate(sizeof *call);
    call->client = client;
    call->verb = verb;
    call->kind = kind;
    call->path = memory_copy_string(path);
    call->callback = callback;
    call->context = context;
    TAILQ_INSERT_TAIL(&client->calls, call, link);
    return call;
}

// Events and nominations come in waves that must neither delay NodeClaims nor wait for them.
static struct bucket *bucket_of(const struct client_call *call)
{
    struct kube_client *client = call->client;
    if (call->kind == KIND_EVENT)
        return &client->events_bucket;
    return call->kind == KIND_POD && call->verb == KUBE_PATCH ? &client->nominations_bucket
                                                              : &client->bucket;
}

void client_call_submit(struct client_call *call)
{
    assert(call->sent == NULL);
    struct kube_client *client = call->client;
    int64_t delay_ns = bucket_reserve(bucket_of(call), loop_monotonic_ns(client->loop));
    if (delay_ns > 0)
        call_wait(call, delay_ns);
    else
        call_send(call);
}

static void call_wait(struct client_call *call, int64_t delay_ns)
{
    assert(delay_ns >= 0);
    assert(call->sent == NULL);
    if (call->timer == NULL)
        call->timer = timer_create_on(call->client->loop, call_send, call);
    timer_start(call->timer, delay_ns);
}

static void call_send(void *context)
{
    struct client_call *call = context;
    assert(call->sent == NULL);
    assert(!call->is_cancelled);
    struct kube_client *client = call->client;
    struct kube_transport *transport = client->transport;
    if (call->is_refused) {
        call_refuse(call);
        return;
    }
    if (!call_may_be_sent(call)) {
        call->is_refused = true;
        call_wait(call, 0); // no callback before the call has returned
        return;
    }
    struct kube_request request = {.verb = call->verb,
                                   .path = call->path,
                                   .query = call->query,
                                   .patch_type = call->patch_type,
                                   .body = call->body};
    if (!reads_only(call->verb)) {
        request.may_send = client->may_write;
        request.may_send_context = client->may_write_context;
    }
    struct kube_handlers handlers = {.done = call_done, .context = call};
    call->sent = transport->operations->start(transport, &request, &handlers);
    assert(call->sent != NULL);
}

static bool reads_only(enum kube_verb verb)
{
    return verb == KUBE_GET || verb == KUBE_LIST || verb == KUBE_WATCH;
}

bool client_may_write(const struct kube_client *client)
{
    return client->may_write == NULL || client->may_write(client->may_write_context);
}

static bool call_may_be_sent(const struct client_call *call)
{
    return reads_only(call->verb) || client_may_write(call->client);
}

static void call_refuse(struct client_call *call)
{
    struct kube_response response = {0};
    error_set(&response.error, ERROR_UNAVAILABLE, "%s: not written, this replica does not lead",
              call->path);
    client_call_finish(call, &response, NULL);
}

static void call_done(void *context, const struct kube_response *response)
{
    struct client_call *call = context;
    assert(call->sent != NULL);
    assert((call->listing == NULL) == (call->continue_list == NULL));
    call->sent = NULL;
    if (response->error.kind != ERROR_NONE && call_retry(call, response))
        return;
    call->attempts = 0;
    if (call->listing != NULL)
        call->continue_list(call, response);
    else
        client_call_finish(call, response, response->body);
}

static bool call_retry(struct client_call *call, const struct kube_response *response)
{
    assert(call->attempts <= RETRIES_MAX);
    bool reads = call->verb == KUBE_GET || call->verb == KUBE_LIST;
    bool throttled = response->status == 429 && response->retry_after_ns > 0 && reads;
    bool unanswered = response->status == 0 && response->error.kind == ERROR_UNAVAILABLE &&
                      (reads || call->verb == KUBE_DELETE);
    if ((!throttled && !unanswered) || call->attempts >= RETRIES_MAX)
        return false;
    int64_t delay_ns = RETRY_BACKOFF_NS << call->attempts;
    delay_ns = ns_add(delay_ns, (int64_t)((double)delay_ns * random_unit(&call->client->random)));
    if (throttled && delay_ns < response->retry_after_ns)
        delay_ns = response->retry_after_ns;
    call->attempts++;
    call_wait(call, delay_ns < RETRY_AFTER_MAX_NS ? delay_ns : RETRY_AFTER_MAX_NS);
    return true;
}

void client_call_finish(struct client_call *call, const struct kube_response *response,
                        const json_t *body)
{
    assert(call->sent == NULL);
    assert(!call->is_busy);
    struct kube_result result = {.error = response->error,
                                 .status = response->status,
                                 .retry_after_ns = response->retry_after_ns,
                                 .body = body};
    if (response->error.kind == ERROR_NONE)
        result.object = decode_answer(call->kind, body);
    kube_callback callback = call->callback;
    void *context = call->context;
    TAILQ_REMOVE(&call->client->calls, call, link);
    client_call_free(call);
    callback(context, &result); // may destroy the client
    object_release(result.object);
}

// Answers of another kind (a Status, a Scale, a List) have no object.
static struct object *decode_answer(enum kind_id kind, const json_t *body)
{
    if (kind == KIND_COUNT || !json_is_object(body))
        return NULL;
    const struct kind *facts = kind_get(kind);
    if (!text_equal(json_string_value(json_object_get(body, "kind")), facts->name))
        return NULL;
    return object_decode(body, facts, DECODE_LENIENT, NULL);
}

void client_call_cancel(struct client_call *call)
{
    assert(!call->is_cancelled);
    struct kube_transport *transport = call->client->transport;
    if (call->sent != NULL)
        transport->operations->cancel(transport, call->sent);
    call->sent = NULL;
    TAILQ_REMOVE(&call->client->calls, call, link);
    call->is_cancelled = true;
    if (!call->is_busy)
        client_call_free(call);
}

void client_call_free(struct client_call *call)
{
    assert(call->sent == NULL);
    assert(!call->is_busy);
    timer_destroy(call->timer);
    listing_free(call->listing);
    json_decref(call->body);
    free(call->path);
    free(call->query);
    free(call);
}

static void listing_free(struct listing *listing)
{
    if (listing == NULL)
        return;
    json_decref(listing->items);
    free(listing->label_selector);
    free(listing->field_selector);
    free(listing->continue_token);
    free(listing->resource_version);
    free(listing);
}
