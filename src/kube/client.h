// A typed client for one API server: get, list, create, patch, delete, evict, with answers as typed
// objects. Requests are rate limited (QPS and burst, LIF-380). Events have a limit of their own
// with a fifth of the rate and half of the burst. Patches of pods (nominations) have one of the
// full rate.
//
// Every call is asynchronous and ends with exactly one callback on the loop's thread, never before
// the call has returned. Callbacks record results; they hold no control flow (design.md idea 3). A
// callback may make calls, cancel them and destroy the client.
//
// The caller retries, with two exceptions that the client retries a few times itself: GET and LIST
// answered 429 with Retry-After, and GET, LIST and DELETE that got no answer from the connection.
#pragma once

#include "kube/result.h"
#include "kube/transport/transport.h"
#include "model/schema/object.h"

struct kube_client;

struct kube_client_options {
    double qps; // <= 0: unlimited
    double burst;
};
// Takes ownership of the transport.
struct kube_client *kube_client_create(struct loop *loop, struct kube_transport *transport,
                                       const struct kube_client_options *options);
void kube_client_destroy(struct kube_client *client); // cancels calls under way
struct kube_transport *kube_client_transport(struct kube_client *client);

// From now on every request except GET, LIST and WATCH is sent only if `may_write` allows it at the
// moment of sending, after any wait (rate limit, retry, credential, connection). A refused one ends
// with ERROR_UNAVAILABLE. NULL, the default: all requests are sent.
void kube_client_gate_writes(struct kube_client *client, bool (*may_write)(void *context),
                             void *context);
bool kube_client_may_write(const struct kube_client *client); // now

struct kube_target { // an object, or a part of it
    enum kind_id kind;
    const char *namespace, *name; // namespace NULL: cluster-scoped
    const char *subresource;      // NULL, "status", "scale", ...
};

void kube_get(struct kube_client *client, enum kind_id kind, const char *namespace,
              const char *name, kube_callback callback, void *context);
void kube_create_json(struct kube_client *client, enum kind_id kind, const char *namespace,
                      json_t *body /* borrowed */, kube_callback callback, void *context);
// The body may carry metadata.resourceVersion and metadata.uid as preconditions.
void kube_patch(struct kube_client *client, const struct kube_target *target, enum patch_type type,
                json_t *body /* borrowed */, kube_callback callback, void *context);
void kube_update_json(struct kube_client *client, const struct kube_target *target,
                      json_t *body /* borrowed */, kube_callback callback, void *context);
struct kube_delete_options {
    const char *uid;              // precondition, or NULL
    const char *resource_version; // precondition, or NULL
    int64_t grace_period_seconds; // < 0: the object's own
};
void kube_delete(struct kube_client *client, const struct kube_target *target,
                 const struct kube_delete_options *options, kube_callback callback, void *context);
// POST .../eviction with a UID precondition (LIF-123).
void kube_evict(struct kube_client *client, const char *namespace, const char *name,
                const char *uid, kube_callback callback, void *context);
// GET of any path (/version, /readyz, discovery).
void kube_get_path(struct kube_client *client, const char *path, kube_callback callback,
                   void *context);

void kube_create_path(struct kube_client *client, const char *path, json_t *body /* borrowed */,
                      kube_callback callback, void *context);
void kube_merge_path(struct kube_client *client, const char *path, json_t *patch /* borrowed */,
                     kube_callback callback, void *context);

// Ends every call made with this context, without its callback.
void kube_cancel(struct kube_client *client, const void *context);
