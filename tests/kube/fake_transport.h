// A transport for tests: the test's function gets every request shortly after its start in loop
// time, and answers at once, later, or never.
#pragma once

#include <sys/queue.h>

#include "kube/transport/transport.h"

struct kube_call { // of the fake transport
    TAILQ_ENTRY(kube_call) link;
    struct fake_transport *transport;
    enum kube_verb verb;
    enum patch_type patch_type;
    char *path, *query; // query "" if none
    json_t *body;
    struct kube_handlers handlers;
    struct timer *timer;
};
TAILQ_HEAD(fake_calls, kube_call);

struct fake_transport {
    struct kube_transport base;
    struct loop *loop;
    void (*serve)(void *context, struct kube_call *call);
    void *context;
    struct fake_calls calls; // under way, oldest first
    unsigned started, cancelled;
};

struct fake_transport *fake_transport_create(struct loop *loop,
                                             void (*serve)(void *context, struct kube_call *call),
                                             void *context);
struct kube_call *fake_find(struct fake_transport *transport, enum kube_verb verb,
                            const char *path);

// Ends the call. Takes ownership of the body; error kind and message match a real API server's.
void fake_answer(struct kube_call *call, int status, json_t *body);
void fake_refuse(struct kube_call *call, int status, const char *reason, const char *message);
void fake_refuse_later(struct kube_call *call, int status, int64_t retry_after_ns);
void fake_fail(struct kube_call *call, enum error_kind kind, const char *message); // no answer
// Watches: an event (takes ownership of the object), and the end.
void fake_event(struct kube_call *call, const char *type, json_t *object);
void fake_end(struct kube_call *call, enum error_kind kind);

json_t *fake_pod(const char *namespace, const char *name, const char *uid, const char *version);
json_t *fake_list(const char *version, const char *continue_token, json_t *items /* taken over */);
