#include "kube/client.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "kube/client_internal.h"
#include "kube/client_list.h"
#include "kube/path.h"
#include "model/schema/decode.h"
#include "model/tables/kinds.h"

#define RETRIES_MAX         3
#define RETRY_BACKOFF_NS    (100 * MILLISECOND) // doubled each time, and up to twice that by chance
#define RETRY_AFTER_MAX_NS  (30 * SECOND)
#define EVENTS_SHARE        5 // of the rate: a wave has two for each pod, while everybody is busy
#define CLIENT_SEED_VIRTUAL UINT64_C(0x6b756265) // simulations repeat

struct call { // of an object
    enum kube_verb verb;
    enum patch_type patch_type;
    json_t *body; // borrowed; NULL if none
};

static void start(struct kube_client *client, const struct kube_target *target, struct call call,
                  kube_callback callback, void *context);
static void operation_send(void *context);
static bool reads_only(enum kube_verb verb);
static bool operation_may_be_sent(const struct operation *operation);
static void operation_refuse(struct operation *operation);
static void operation_done(void *context, const struct kube_response *response);
static bool operation_retry(struct operation *operation, const struct kube_response *response);
static void operation_wait(struct operation *operation, int64_t delay_ns);
static void operation_cancel(struct operation *operation);
static struct object *decode_answer(enum kind_id kind, const json_t *body);

struct kube_client *kube_client_create(struct loop *loop, struct kube_transport *transport,
                                       const struct kube_client_options *options)
{
    struct kube_client *client = memory_allocate(sizeof *client);
    client->loop = loop;
    client->transport = transport;
    int64_t now_ns = loop_monotonic_ns(loop);
    client->bucket = bucket_create(options->qps, options->burst, now_ns);
    client->events_bucket = bucket_create(options->qps / EVENTS_SHARE, options->burst / 2, now_ns);
    client->nominations_bucket = bucket_create(options->qps, options->burst, now_ns);
    random_seed(&client->random, loop_is_virtual(loop) ? CLIENT_SEED_VIRTUAL : random_entropy());
    TAILQ_INIT(&client->operations);
    return client;
}

void kube_client_destroy(struct kube_client *client)
{
    if (client == NULL)
        return;
    while (!TAILQ_EMPTY(&client->operations))
        operation_cancel(TAILQ_FIRST(&client->operations));
    client->transport->operations->destroy(client->transport);
    free(client);
}

struct kube_transport *kube_client_transport(struct kube_client *client)
{
    return client->transport;
}

void kube_client_gate_writes(struct kube_client *client, bool (*may_write)(void *context),
                             void *context)
{
    client->may_write = may_write;
    client->may_write_context = context;
}

bool kube_client_may_write(const struct kube_client *client)
{
    return client->may_write == NULL || client->may_write(client->may_write_context);
}

void kube_cancel(struct kube_client *client, const void *context)
{
    struct operation *next;
    for (struct operation *at = TAILQ_FIRST(&client->operations); at != NULL; at = next) {
        next = TAILQ_NEXT(at, link);
        if (at->context == context)
            operation_cancel(at);
    }
}

void kube_get(struct kube_client *client, enum kind_id kind, const char *namespace,
              const char *name, kube_callback callback, void *context)
{
    start(client, &(struct kube_target){kind, namespace, name}, (struct call){KUBE_GET}, callback,
          context);
}

void kube_create_json(struct kube_client *client, enum kind_id kind, const char *namespace,
                      json_t *body, kube_callback callback, void *context)
{
    start(client, &(struct kube_target){kind, namespace}, (struct call){KUBE_CREATE, .body = body},
          callback, context);
}

void kube_patch(struct kube_client *client, const struct kube_target *target, enum patch_type type,
                json_t *body, kube_callback callback, void *context)
{
    start(client, target, (struct call){KUBE_PATCH, type, body}, callback, context);
}

void kube_update_json(struct kube_client *client, const struct kube_target *target, json_t *body,
                      kube_callback callback, void *context)
{
    start(client, target, (struct call){KUBE_UPDATE, .body = body}, callback, context);
}

void kube_delete(struct kube_client *client, const struct kube_target *target,
                 const struct kube_delete_options *options, kube_callback callback, void *context)
{
    json_t *body = NULL;
    if (options != NULL) {
        body = json_pack("{s:s, s:s}", "kind", "DeleteOptions", "apiVersion", "v1");
        json_t *preconditions = json_object();
        if (options->uid != NULL)
            json_object_set_new(preconditions, "uid", json_string(options->uid));
        if (options->resource_version != NULL)
            json_object_set_new(preconditions, "resourceVersion",
                                json_string(options->resource_version));
        if (json_object_size(preconditions) > 0)
            json_object_set(body, "preconditions", preconditions);
        json_decref(preconditions);
        if (options->grace_period_seconds >= 0)
            json_object_set_new(body, "gracePeriodSeconds",
                                json_integer(options->grace_period_seconds));
    }
    start(client, target, (struct call){KUBE_DELETE, .body = body}, callback, context);
    json_decref(body);
}

void kube_evict(struct kube_client *client, const char *namespace, const char *name,
                const char *uid, kube_callback callback, void *context)
{
    json_t *body = json_pack("{s:s, s:s, s:{s:s, s:s}}", "apiVersion", "policy/v1", "kind",
                             "Eviction", "metadata", "name", name, "namespace", namespace);
    if (uid != NULL)
        json_object_set_new(body, "deleteOptions",
                            json_pack("{s:{s:s}}", "preconditions", "uid", uid));
    start(client, &(struct kube_target){KIND_POD, namespace, name, "eviction"},
          (struct call){KUBE_CREATE, .body = body}, callback, context);
    json_decref(body);
}

void kube_get_path(struct kube_client *client, const char *path, kube_callback callback,
                   void *context)
{
    operation_submit(operation_create(client, KUBE_GET, KIND_COUNT, path, callback, context));
}

static void write_path(struct kube_client *client, enum kube_verb verb, const char *path,
                       json_t *body, kube_callback callback, void *context)
{
    struct operation *operation =
        operation_create(client, verb, KIND_COUNT, path, callback, context);
    operation->patch_type = PATCH_MERGE;
    operation->body = json_deep_copy(body);
    operation_submit(operation);
}

void kube_create_path(struct kube_client *client, const char *path, json_t *body,
                      kube_callback callback, void *context)
{
    write_path(client, KUBE_CREATE, path, body, callback, context);
}

void kube_merge_path(struct kube_client *client, const char *path, json_t *patch,
                     kube_callback callback, void *context)
{
    write_path(client, KUBE_PATCH, path, patch, callback, context);
}

static void start(struct kube_client *client, const struct kube_target *target, struct call call,
                  kube_callback callback, void *context)
{
    assert(call.verb == KUBE_CREATE || (target->name != NULL && target->name[0] != '\0'));
    assert(call.verb != KUBE_LIST && call.verb != KUBE_WATCH);
    char path[KUBE_PATH_MAX];
    kube_path(target->kind, target->namespace, target->name, target->subresource, path,
              sizeof path);
    struct operation *operation =
        operation_create(client, call.verb, target->kind, path, callback, context);
    operation->patch_type = call.patch_type;
    if (call.verb == KUBE_PATCH && call.patch_type == PATCH_APPLY)
        operation->query = memory_copy_string("fieldManager=karpenter&force=true");
    // Copied: the caller may change its body while this one waits, or is sent again.
    operation->body = json_deep_copy(call.body);
    operation_submit(operation);
}

struct operation *operation_create(struct kube_client *client, enum kube_verb verb,
                                   enum kind_id kind, const char *path, kube_callback callback,
                                   void *context)
{
    assert(callback != NULL);
    struct operation *operation = memory_allocate(sizeof *operation);
    operation->client = client;
    operation->verb = verb;
    operation->kind = kind;
    operation->path = memory_copy_string(path);
    operation->callback = callback;
    operation->context = context;
    TAILQ_INSERT_TAIL(&client->operations, operation, link);
    return operation;
}

// Events and nominations come in waves that must not hold up NodeClaims, nor wait for them.
static struct bucket *bucket_of(const struct operation *operation)
{
    struct kube_client *client = operation->client;
    if (operation->kind == KIND_EVENT)
        return &client->events_bucket;
    return operation->kind == KIND_POD && operation->verb == KUBE_PATCH
               ? &client->nominations_bucket
               : &client->bucket;
}

void operation_submit(struct operation *operation)
{
    struct kube_client *client = operation->client;
    int64_t delay_ns = bucket_reserve(bucket_of(operation), loop_monotonic_ns(client->loop));
    if (delay_ns > 0)
        operation_wait(operation, delay_ns);
    else
        operation_send(operation);
}

static void operation_wait(struct operation *operation, int64_t delay_ns)
{
    if (operation->timer == NULL)
        operation->timer = timer_create_on(operation->client->loop, operation_send, operation);
    timer_start(operation->timer, delay_ns);
}

static void operation_send(void *context)
{
    struct operation *operation = context;
    struct kube_client *client = operation->client;
    struct kube_transport *transport = client->transport;
    if (operation->is_refused) {
        operation_refuse(operation);
        return;
    }
    if (!operation_may_be_sent(operation)) {
        operation->is_refused = true;
        operation_wait(operation, 0); // no callback before the call has returned
        return;
    }
    struct kube_request request = {.verb = operation->verb,
                                   .path = operation->path,
                                   .query = operation->query,
                                   .patch_type = operation->patch_type,
                                   .body = operation->body};
    if (!reads_only(operation->verb)) {
        request.may_send = client->may_write;
        request.may_send_context = client->may_write_context;
    }
    struct kube_handlers handlers = {.done = operation_done, .context = operation};
    operation->call = transport->operations->start(transport, &request, &handlers);
}

static bool reads_only(enum kube_verb verb)
{
    return verb == KUBE_GET || verb == KUBE_LIST || verb == KUBE_WATCH;
}

static bool operation_may_be_sent(const struct operation *operation)
{
    return reads_only(operation->verb) || kube_client_may_write(operation->client);
}

static void operation_refuse(struct operation *operation)
{
    struct kube_response response = {0};
    error_set(&response.error, ERROR_UNAVAILABLE, "%s: not written, this replica does not lead",
              operation->path);
    operation_finish(operation, &response, NULL);
}

static void operation_done(void *context, const struct kube_response *response)
{
    struct operation *operation = context;
    operation->call = NULL;
    if (response->error.kind != ERROR_NONE && operation_retry(operation, response))
        return;
    operation->attempts = 0;
    if (operation->listing != NULL)
        listing_continue(operation, response);
    else
        operation_finish(operation, response, response->body);
}

static bool operation_retry(struct operation *operation, const struct kube_response *response)
{
    bool reads = operation->verb == KUBE_GET || operation->verb == KUBE_LIST;
    bool throttled = response->status == 429 && response->retry_after_ns > 0 && reads;
    bool unanswered = response->status == 0 && response->error.kind == ERROR_UNAVAILABLE &&
                      (reads || operation->verb == KUBE_DELETE);
    if ((!throttled && !unanswered) || operation->attempts >= RETRIES_MAX)
        return false;
    int64_t delay_ns = RETRY_BACKOFF_NS << operation->attempts;
    delay_ns =
        ns_add(delay_ns, (int64_t)((double)delay_ns * random_unit(&operation->client->random)));
    if (throttled && delay_ns < response->retry_after_ns)
        delay_ns = response->retry_after_ns;
    operation->attempts++;
    operation_wait(operation, delay_ns < RETRY_AFTER_MAX_NS ? delay_ns : RETRY_AFTER_MAX_NS);
    return true;
}

void operation_finish(struct operation *operation, const struct kube_response *response,
                      const json_t *body)
{
    struct kube_result result = {.error = response->error,
                                 .status = response->status,
                                 .retry_after_ns = response->retry_after_ns,
                                 .body = body};
    if (response->error.kind == ERROR_NONE)
        result.object = decode_answer(operation->kind, body);
    kube_callback callback = operation->callback;
    void *context = operation->context;
    TAILQ_REMOVE(&operation->client->operations, operation, link);
    operation_free(operation);
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

static void operation_cancel(struct operation *operation)
{
    struct kube_transport *transport = operation->client->transport;
    if (operation->call != NULL)
        transport->operations->cancel(transport, operation->call);
    operation->call = NULL;
    TAILQ_REMOVE(&operation->client->operations, operation, link);
    operation->is_cancelled = true;
    if (!operation->is_busy)
        operation_free(operation);
}

void operation_free(struct operation *operation)
{
    timer_destroy(operation->timer);
    listing_free(operation->listing);
    json_decref(operation->body);
    free(operation->path);
    free(operation->query);
    free(operation);
}
