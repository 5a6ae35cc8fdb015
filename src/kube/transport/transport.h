// Sends requests to an API server. Two implementations: HTTP over libcurl
// (kube/transport/http_transport.h) and, in the simulation, a direct call into the embedded API
// server on virtual time (sim/).
//
// Bodies are JSON values, not text, so that the simulated world pays for no parsing.
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/loop.h"

enum kube_verb {
    KUBE_GET,
    KUBE_LIST,
    KUBE_WATCH,
    KUBE_CREATE,
    KUBE_UPDATE,
    KUBE_PATCH,
    KUBE_DELETE
};
enum patch_type { PATCH_MERGE, PATCH_JSON, PATCH_STRATEGIC, PATCH_APPLY };

struct kube_request {
    enum kube_verb verb;
    const char *path;  // "/api/v1/namespaces/default/pods/x/eviction", without the query
    const char *query; // "limit=500&continue=...", or NULL; already escaped
    enum patch_type patch_type;
    json_t *body; // borrowed; NULL if none
    // Called at the moment of sending, which may be later than the start. False: the request is not
    // sent and ends with ERROR_UNAVAILABLE. NULL: always sent.
    bool (*may_send)(void *context);
    void *may_send_context;
};

struct kube_response {
    int status;         // HTTP status; 0: no answer, see error
    json_t *body;       // borrowed for the duration of the callback; NULL if none
    struct error error; // kind ERROR_NONE for 2xx; otherwise from status and Status.message/reason
    int64_t retry_after_ns; // from Retry-After; 0 if absent
};

struct kube_call; // one request under way

struct kube_handlers {
    // Once, at the end. For a watch: when the stream has ended (error.kind ERROR_NONE for an
    // ordinary end, ERROR_GONE for 410).
    void (*done)(void *context, const struct kube_response *response);
    // Watches: each event, as {"type": ..., "object": ...}; borrowed.
    void (*event)(void *context, const json_t *event);
    void *context;
};

struct kube_transport {
    const struct kube_transport_operations {
        // The request is copied. Never calls a handler before returning. NULL is never returned.
        struct kube_call *(*start)(struct kube_transport *transport,
                                   const struct kube_request *request,
                                   const struct kube_handlers *handlers);
        // Ends a call early: no handler is called any more; frees the call.
        void (*cancel)(struct kube_transport *transport, struct kube_call *call);
        void (*destroy)(struct kube_transport *transport);
    } * operations;
};
