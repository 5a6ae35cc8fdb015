#include "kube/reflector.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/random.h"
#include "base/text.h"
#include "kube/client_list.h"
#include "kube/path.h"
#include "kube/transport/status.h"
#include "model/tables/kinds.h"

#define BACKOFF_FIRST_NS (800 * MILLISECOND)
#define BACKOFF_MAX_NS   (30 * SECOND)
#define ABSENT_RETRY_NS  MINUTE
// The server ends a watch after this; random, so that watches are not all renewed at once.
#define WATCH_TIMEOUT_MIN_S   300
#define WATCH_TIMEOUT_RANGE_S 300
// A watch still open after this grace hangs on a dead connection.
#define WATCH_GRACE_NS MINUTE
// A watch that ends sooner without an event counts as failed; otherwise the requests would never
// stop.
#define WATCH_SHORT_NS SECOND
// A watch that lasted longer than any connection attempt was a success, even without an event.
#define WATCH_LONG_NS (30 * SECOND)

struct reflector {
    struct loop *loop;
    struct kube_client *client;
    struct reflector_spec spec;
    char *namespace, *field_selector;
    char path[1024];
    struct random random;
    char *version; // where the next watch begins; NULL: list first
    struct timer *retry;
    struct timer *deadline; // of the watch under way
    struct kube_call *watch;
    int64_t watch_began_ns;
    bool watch_has_events;
    unsigned failures;          // in a row
    bool is_busy, is_destroyed; // a handler is running; that handler has destroyed the reflector
    bool is_told;               // the failure has been logged, so its end is logged too
};

static void begin(void *context);
static void list_page(void *context, const json_t *page, bool first);
static void list_done(void *context, const struct kube_result *result);
static void watch_begin(struct reflector *reflector);
static void watch_event(void *context, const json_t *event);
static void watch_done(void *context, const struct kube_response *response);
static void watch_overdue(void *context);
static void watch_ended(struct reflector *reflector, const struct error *error);
static void fail(struct reflector *reflector, const struct error *error, bool list_again);
static void succeed(struct reflector *reflector);
static void tell_success(struct reflector *reflector);
static void set_version(struct reflector *reflector, const char *version);

struct reflector *reflector_create(struct loop *loop, struct kube_client *client,
                                   const struct reflector_spec *spec)
{
    assert(spec->kind < KIND_COUNT);
    assert(spec->list_begins != NULL);
    assert(spec->item != NULL);
    assert(spec->list_ends != NULL);
    assert(spec->event != NULL);
    assert(!spec->optional || spec->absent != NULL);
    struct reflector *reflector = memory_allocate(sizeof *reflector);
    reflector->loop = loop;
    reflector->client = client;
    reflector->spec = *spec;
    reflector->spec.namespace = reflector->namespace = memory_copy_string(spec->namespace);
    reflector->spec.field_selector = reflector->field_selector =
        memory_copy_string(spec->field_selector);
    kube_path(spec->kind, spec->namespace, NULL, NULL, reflector->path, sizeof reflector->path);
    // Simulations are reproducible; real replicas must not retry in step.
    random_seed(&reflector->random,
                loop_is_virtual(loop) ? hash_string(reflector->path) : random_entropy());
    reflector->retry = timer_create_on(loop, begin, reflector);
    reflector->deadline = timer_create_on(loop, watch_overdue, reflector);
    begin(reflector);
    return reflector;
}

void reflector_destroy(struct reflector *reflector)
{
    if (reflector == NULL)
        return;
    assert(!reflector->is_destroyed);
    kube_cancel(reflector->client, reflector);
    if (reflector->watch != NULL) {
        struct kube_transport *transport = kube_client_transport(reflector->client);
        transport->operations->cancel(transport, reflector->watch);
    }
    timer_destroy(reflector->retry);
    timer_destroy(reflector->deadline);
    free(reflector->version);
    free(reflector->namespace);
    free(reflector->field_selector);
    reflector->is_destroyed = true;
    if (!reflector->is_busy)
        free(reflector);
}

static void handlers_begin(struct reflector *reflector)
{
    assert(!reflector->is_busy);
    reflector->is_busy = true;
}

// False if a handler has destroyed the reflector; its memory is gone then.
static bool handlers_end(struct reflector *reflector)
{
    assert(reflector->is_busy);
    reflector->is_busy = false;
    if (!reflector->is_destroyed)
        return true;
    free(reflector);
    return false;
}

const char *reflector_version(const struct reflector *reflector)
{
    return reflector->version != NULL ? reflector->version : "";
}

static void begin(void *context)
{
    struct reflector *reflector = context;
    assert(reflector->watch == NULL);
    if (reflector->version != NULL) {
        watch_begin(reflector);
        return;
    }
    // Without resourceVersion the list is the newest state. A lagging cache could make a list after
    // a gap go back in time.
    kube_list_pages(reflector->client,
                    &(struct kube_selection){reflector->spec.kind, reflector->namespace, NULL,
                                             reflector->field_selector},
                    list_page, list_done, reflector);
}

static void list_page(void *context, const json_t *page, bool first)
{
    struct reflector *reflector = context;
    handlers_begin(reflector);
    if (first) {
        set_version(reflector, NULL);
        reflector->spec.list_begins(reflector->spec.context);
    }
    // The first page's version holds for all pages.
    const json_t *metadata = json_object_get(page, "metadata");
    CLEANUP_FREE char *version =
        first ? memory_copy_string(json_string_value(json_object_get(metadata, "resourceVersion")))
              : NULL;
    const json_t *items = json_object_get(page, "items");
    for (size_t i = 0; i < json_array_size(items) && !reflector->is_destroyed; i++)
        reflector->spec.item(reflector->spec.context, json_array_get(items, i));
    if (!handlers_end(reflector))
        return;
    if (first)
        set_version(reflector, version);
}

static void list_done(void *context, const struct kube_result *result)
{
    struct reflector *reflector = context;
    if (result->error.kind != ERROR_NONE) {
        set_version(reflector, NULL);
        bool absent = result->status == 404 || result->status == 403;
        if (absent && reflector->spec.optional) {
            handlers_begin(reflector);
            reflector->spec.absent(reflector->spec.context, result->error.kind);
            if (!handlers_end(reflector))
                return;
            timer_start(reflector->retry,
                        ns_add(ABSENT_RETRY_NS,
                               (int64_t)random_below(&reflector->random, ABSENT_RETRY_NS)));
            return;
        }
        fail(reflector, &result->error, true);
        return;
    }
    handlers_begin(reflector);
    reflector->spec.list_ends(reflector->spec.context, reflector_version(reflector));
    if (!handlers_end(reflector))
        return;
    // The failures stay counted until a watch works; otherwise list and watch could fail in turn
    // without back-off.
    tell_success(reflector);
    if (reflector->version == NULL) {
        struct error error;
        error_set(&error, ERROR_UNAVAILABLE, "the list of %s has no resourceVersion",
                  reflector->path);
        fail(reflector, &error, true);
        return;
    }
    watch_begin(reflector);
}

static void watch_begin(struct reflector *reflector)
{
    assert(reflector->watch == NULL);
    assert(reflector->version != NULL);
    uint64_t timeout_s =
        WATCH_TIMEOUT_MIN_S + random_below(&reflector->random, WATCH_TIMEOUT_RANGE_S);
    struct text query = {0};
    text_format(&query, "watch=true&allowWatchBookmarks=true&timeoutSeconds=%" PRIu64, timeout_s);
    query_add(&query, "fieldSelector", reflector->field_selector);
    query_add(&query, "resourceVersion", reflector->version);
    struct kube_request request = {
        .verb = KUBE_WATCH, .path = reflector->path, .query = query.data};
    struct kube_handlers handlers = {
        .done = watch_done, .event = watch_event, .context = reflector};
    struct kube_transport *transport = kube_client_transport(reflector->client);
    reflector->watch_began_ns = loop_monotonic_ns(reflector->loop);
    reflector->watch_has_events = false;
    reflector->watch = transport->operations->start(transport, &request, &handlers);
    timer_start(reflector->deadline,
                ns_add(ns_multiply((int64_t)timeout_s, SECOND), WATCH_GRACE_NS));
    text_free(&query);
}

static void watch_event(void *context, const json_t *event)
{
    struct reflector *reflector = context;
    assert(reflector->watch != NULL);
    const char *type = json_string_value(json_object_get(event, "type"));
    const json_t *object = json_object_get(event, "object");
    if (text_equal(type, "ERROR")) { // the HTTP transport ends the watch with it; other transports
                                     // may pass it on
        struct error error;
        status_to_error(0, object, reflector->path, &error);
        struct kube_transport *transport = kube_client_transport(reflector->client);
        transport->operations->cancel(transport, reflector->watch);
        watch_ended(reflector, &error);
        return;
    }
    const char *version =
        json_string_value(json_object_get(json_object_get(object, "metadata"), "resourceVersion"));
    reflector->watch_has_events = true;
    succeed(reflector);
    // Handlers see the version of this very event; everything before it has been handled.
    if (version != NULL && version[0] != '\0')
        set_version(reflector, version);
    if (!text_equal(type, "ADDED") && !text_equal(type, "MODIFIED") && !text_equal(type, "DELETED"))
        return; // BOOKMARK, and types added later
    handlers_begin(reflector);
    reflector->spec.event(reflector->spec.context, type, object);
    handlers_end(reflector);
}

static void watch_done(void *context, const struct kube_response *response)
{
    assert(((const struct reflector *)context)->watch != NULL);
    watch_ended(context, &response->error);
}

static void watch_overdue(void *context)
{
    struct reflector *reflector = context;
    assert(reflector->watch != NULL);
    struct kube_transport *transport = kube_client_transport(reflector->client);
    transport->operations->cancel(transport, reflector->watch);
    struct error error;
    error_set(&error, ERROR_TIMEOUT, "the watch of %s did not end in time", reflector->path);
    watch_ended(reflector, &error);
}

static void watch_ended(struct reflector *reflector, const struct error *error)
{
    reflector->watch = NULL;
    timer_stop(reflector->deadline);
    struct error too_short;
    int64_t lasted_ns = ns_subtract(loop_monotonic_ns(reflector->loop), reflector->watch_began_ns);
    if (lasted_ns >= WATCH_LONG_NS)
        reflector->failures = 0;
    if (error->kind == ERROR_NONE && (lasted_ns >= WATCH_SHORT_NS || reflector->watch_has_events)) {
        succeed(reflector);
        watch_begin(reflector);
        return;
    }
    if (error->kind == ERROR_NONE) {
        error_set(&too_short, ERROR_UNAVAILABLE, "the watch of %s ended at once", reflector->path);
        fail(reflector, &too_short, false);
        return;
    }
    switch (error->kind) {
    case ERROR_GONE:
        set_version(reflector, NULL);
        if (reflector->failures == 0) { // common after a pause, but not twice in a row
            reflector->failures = 1;
            begin(reflector);
            return;
        }
        fail(reflector, error, true);
        return;
    case ERROR_UNAVAILABLE:
    case ERROR_TIMEOUT:
    case ERROR_TOO_MANY_REQUESTS:
    case ERROR_UNAUTHORIZED:
        fail(reflector, error, false);
        return;
    case ERROR_NONE:
    case ERROR_INVALID:
    case ERROR_NOT_FOUND:
    case ERROR_ALREADY_EXISTS:
    case ERROR_CONFLICT:
    case ERROR_FORBIDDEN:
    case ERROR_INSUFFICIENT_CAPACITY:
    case ERROR_NODE_CLASS_NOT_READY:
    case ERROR_INTERNAL:
        break;
    }
    fail(reflector, error, true);
}

static void fail(struct reflector *reflector, const struct error *error, bool list_again)
{
    assert(error->kind != ERROR_NONE);
    assert(reflector->watch == NULL);
    if (list_again)
        set_version(reflector, NULL);
    // One failure is routine (a restarted API server); a second in a row, or a refusal, is logged.
    bool passing = error->kind == ERROR_UNAVAILABLE || error->kind == ERROR_TIMEOUT ||
                   error->kind == ERROR_GONE || error->kind == ERROR_TOO_MANY_REQUESTS;
    bool expected = reflector->spec.optional &&
                    (error->kind == ERROR_NOT_FOUND || error->kind == ERROR_FORBIDDEN);
    if ((!passing || reflector->failures > 0) && !expected && !reflector->is_told) {
        reflector->is_told = true;
        log_error("failed to watch, retrying with back-off", "s:kind",
                  kind_get(reflector->spec.kind)->name, "s:error", error->message);
    }
    unsigned doublings = reflector->failures < 6 ? reflector->failures : 6;
    int64_t delay_ns = BACKOFF_FIRST_NS << doublings;
    if (delay_ns > BACKOFF_MAX_NS)
        delay_ns = BACKOFF_MAX_NS;
    reflector->failures++;
    timer_start(reflector->retry,
                ns_add(delay_ns, (int64_t)random_below(&reflector->random, (uint64_t)delay_ns)));
}

static void succeed(struct reflector *reflector)
{
    reflector->failures = 0;
    tell_success(reflector);
}

static void tell_success(struct reflector *reflector)
{
    if (reflector->is_told)
        log_info("watching again", "s:kind", kind_get(reflector->spec.kind)->name);
    reflector->is_told = false;
}

static void set_version(struct reflector *reflector, const char *version)
{
    if (version != NULL && reflector->version != NULL &&
        strlen(version) <= strlen(reflector->version)) { // the usual case, for every event
        strcpy(reflector->version, version);
        return;
    }
    free(reflector->version);
    reflector->version = version != NULL && version[0] != '\0' ? memory_copy_string(version) : NULL;
}
