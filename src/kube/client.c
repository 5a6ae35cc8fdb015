#include "kube/client.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "kube/client_call.h"
#include "kube/path.h"

#define EVENTS_SHARE        5                    // divides the rate: a wave has two Events a pod
#define CLIENT_SEED_VIRTUAL UINT64_C(0x6b756265) // fixed: simulations are reproducible

struct request { // about an object
    enum kube_verb verb;
    enum patch_type patch_type;
    json_t *body; // borrowed; NULL if none
};

static void start(struct kube_client *client, const struct kube_target *target,
                  struct request request, kube_callback callback, void *context);

struct kube_client *kube_client_create(struct loop *loop, struct kube_transport *transport,
                                       const struct kube_client_options *options)
{
    assert(transport != NULL);
    assert(transport->operations != NULL);
    struct kube_client *client = memory_allocate(sizeof *client);
    client->loop = loop;
    client->transport = transport;
    int64_t now_ns = loop_monotonic_ns(loop);
    client->bucket = bucket_create(options->qps, options->burst, now_ns);
    client->events_bucket = bucket_create(options->qps / EVENTS_SHARE, options->burst / 2, now_ns);
    client->nominations_bucket = bucket_create(options->qps, options->burst, now_ns);
    random_seed(&client->random, loop_is_virtual(loop) ? CLIENT_SEED_VIRTUAL : random_entropy());
    TAILQ_INIT(&client->calls);
    return client;
}

void kube_client_destroy(struct kube_client *client)
{
    if (client == NULL)
        return;
    while (!TAILQ_EMPTY(&client->calls))
        client_call_cancel(TAILQ_FIRST(&client->calls));
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
    return client_may_write(client);
}

void kube_cancel(struct kube_client *client, const void *context)
{
    assert(context != NULL);
    struct client_call *next;
    for (struct client_call *at = TAILQ_FIRST(&client->calls); at != NULL; at = next) {
        next = TAILQ_NEXT(at, link);
        if (at->context == context)
            client_call_cancel(at);
    }
}

void kube_get(struct kube_client *client, enum kind_id kind, const char *namespace,
              const char *name, kube_callback callback, void *context)
{
    start(client, &(struct kube_target){kind, namespace, name}, (struct request){KUBE_GET},
          callback, context);
}

void kube_create_json(struct kube_client *client, enum kind_id kind, const char *namespace,
                      json_t *body, kube_callback callback, void *context)
{
    assert(body != NULL);
    start(client, &(struct kube_target){kind, namespace},
          (struct request){KUBE_CREATE, .body = body}, callback, context);
}

void kube_patch(struct kube_client *client, const struct kube_target *target, enum patch_type type,
                json_t *body, kube_callback callback, void *context)
{
    assert(body != NULL);
    assert(type <= PATCH_APPLY);
    start(client, target, (struct request){KUBE_PATCH, type, body}, callback, context);
}

void kube_update_json(struct kube_client *client, const struct kube_target *target, json_t *body,
                      kube_callback callback, void *context)
{
    assert(body != NULL);
    start(client, target, (struct request){KUBE_UPDATE, .body = body}, callback, context);
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
    start(client, target, (struct request){KUBE_DELETE, .body = body}, callback, context);
    json_decref(body);
}

void kube_evict(struct kube_client *client, const char *namespace, const char *name,
                const char *uid, kube_callback callback, void *context)
{
    assert(name != NULL);
    json_t *body = json_pack("{s:s, s:s, s:{s:s, s:s}}", "apiVersion", "policy/v1", "kind",
                             "Eviction", "metadata", "name", name, "namespace", namespace);
    if (uid != NULL)
        json_object_set_new(body, "deleteOptions",
                            json_pack("{s:{s:s}}", "preconditions", "uid", uid));
    start(client, &(struct kube_target){KIND_POD, namespace, name, "eviction"},
          (struct request){KUBE_CREATE, .body = body}, callback, context);
    json_decref(body);
}

void kube_get_path(struct kube_client *client, const char *path, kube_callback callback,
                   void *context)
{
    client_call_submit(client_call_create(client, KUBE_GET, KIND_COUNT, path, callback, context));
}

static void write_path(struct kube_client *client, enum kube_verb verb, const char *path,
                       json_t *body, kube_callback callback, void *context)
{
    struct client_call *call =
        client_call_create(client, verb, KIND_COUNT, path, callback, context);
    call->patch_type = PATCH_MERGE;
    call->body = json_deep_copy(body);
    client_call_submit(call);
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

static void start(struct kube_client *client, const struct kube_target *target,
                  struct request request, kube_callback callback, void *context)
{
    assert(request.verb == KUBE_CREATE || (target->name != NULL && target->name[0] != '\0'));
    assert(request.verb != KUBE_LIST);
    assert(request.verb != KUBE_WATCH);
    char path[KUBE_PATH_MAX];
    kube_path(target->kind, target->namespace, target->name, target->subresource, path,
              sizeof path);
    struct client_call *call =
        client_call_create(client, request.verb, target->kind, path, callback, context);
    call->patch_type = request.patch_type;
    if (request.verb == KUBE_PATCH && request.patch_type == PATCH_APPLY)
        call->query = memory_copy_string("fieldManager=karpenter&force=true");
    // Copied: the caller may change its body while this call waits or is sent again.
    call->body = json_deep_copy(request.body);
    client_call_submit(call);
}
