// One call of the client (client.h): it waits for the rate limit, is sent, is sent again where a
// retry is allowed, and ends with its callback.
#pragma once

#include <sys/queue.h>

#include "base/random.h"
#include "base/text.h"
#include "kube/result.h"
#include "kube/transport/bucket.h"
#include "kube/transport/transport.h"

struct listing { // a list under way
    char *label_selector, *field_selector;
    char *continue_token;   // of the next page; NULL: this is the first
    char *resource_version; // of the first page
    unsigned restarts;
    json_t *items; // all pages together; NULL if each page goes to a handler
    kube_page_callback page;
};

struct client_call { // with its retries and pages
    TAILQ_ENTRY(client_call) link;
    struct kube_client *client;
    enum kube_verb verb;
    enum kind_id kind; // KIND_COUNT: the answer is not decoded
    enum patch_type patch_type;
    char *path, *query;
    json_t *body;
    kube_callback callback;
    void *context;
    struct timer *timer;    // waiting for the rate limit or for a retry
    struct kube_call *sent; // under way
    unsigned attempts;
    bool is_refused;            // a write refused by `may_write`; waits for its callback
    bool is_busy, is_cancelled; // a callback that does not end the call is running; that callback
                                // has cancelled it
    // A list: takes in the answer, then asks for the next page or ends the call.
    struct listing *listing; // NULL: no list
    void (*continue_list)(struct client_call *call, const struct kube_response *response);
};
TAILQ_HEAD(client_call_list, client_call);

struct kube_client {
    struct loop *loop;
    struct kube_transport *transport;
    struct bucket bucket, events_bucket, nominations_bucket;
    struct random random;
    struct client_call_list calls;
    bool (*may_write)(void *context); // NULL: always
    void *may_write_context;
};

bool client_may_write(const struct kube_client *client); // now
struct client_call *client_call_create(struct kube_client *client, enum kube_verb verb,
                                       enum kind_id kind, const char *path, kube_callback callback,
                                       void *context);
// Sends the request when the rate limit allows.
void client_call_submit(struct client_call *call);
// Ends it: frees it, then calls back.
void client_call_finish(struct client_call *call, const struct kube_response *response,
                        const json_t *body);
// Removes it from the client. Frees it now, or after its running callback has returned.
void client_call_cancel(struct client_call *call);
void client_call_free(struct client_call *call);
