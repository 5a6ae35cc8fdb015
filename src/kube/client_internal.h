// Between client.c (calls, rate limit, retries) and client_list.c (lists of many pages).
#pragma once

#include <sys/queue.h>

#include "base/random.h"
#include "base/text.h"
#include "kube/client.h"
#include "kube/transport/bucket.h"

struct listing { // a list under way
    char *label_selector, *field_selector;
    char *continue_token;   // of the next page; NULL: this is the first
    char *resource_version; // of the first page
    unsigned restarts;
    json_t *items; // all pages together; NULL if they are handed out one by one
    kube_page_callback page;
};

struct operation { // one call of the client, with its retries and pages
    TAILQ_ENTRY(operation) link;
    struct kube_client *client;
    enum kube_verb verb;
    enum kind_id kind; // KIND_COUNT: the answer is not decoded
    enum patch_type patch_type;
    char *path, *query;
    json_t *body;
    kube_callback callback;
    void *context;
    struct timer *timer;    // waiting for the rate limit or for a retry
    struct kube_call *call; // under way
    unsigned attempts;
    bool is_refused;            // a write that may not be sent; waits for its callback
    bool is_busy, is_cancelled; // a callback that does not end it is running; and has cancelled it
    struct listing *listing;
};
TAILQ_HEAD(operation_list, operation);

struct kube_client {
    struct loop *loop;
    struct kube_transport *transport;
    struct bucket bucket, events_bucket, nominations_bucket;
    struct random random;
    struct operation_list operations;
    bool (*may_write)(void *context); // NULL: always
    void *may_write_context;
};

struct operation *operation_create(struct kube_client *client, enum kube_verb verb,
                                   enum kind_id kind, const char *path, kube_callback callback,
                                   void *context);
// Sends the request when the rate limit allows.
void operation_submit(struct operation *operation);
// Ends it: frees it, then calls back.
void operation_finish(struct operation *operation, const struct kube_response *response,
                      const json_t *body);
void operation_free(struct operation *operation);
