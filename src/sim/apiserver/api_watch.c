#include "sim/apiserver/api_watch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "sim/apiserver/api_internal.h"
#include "sim/apiserver/api_read.h"
#include "sim/apiserver/api_selector.h"
#include "sim/apiserver/api_views.h"
#include "sim/printing/table.h"
#include "sim/store/store_internal.h"
#include "sim/store/store_watch.h"

#define BOOKMARK_INTERVAL   (60 * SECOND)
#define TIMEOUT_MIN_SECONDS 1800 // the default timeout is random, from here to twice as much

struct api_watch {
    struct api_server *server;
    const struct store_resource *resource, *view;
    struct api_selector *selector;
    struct store_watch *changes;
    char *include_object; // of tables
    bool table, table_has_columns, bookmarks;
    json_t *queue; // events from before the start
    bool started, flushed;
    struct timer *flush, *bookmark, *timeout;
    int64_t timeout_ns;
    uint64_t bookmarked;
    bool *gone; // set by destruction while a handler runs
    struct api_watch_handlers handlers;
};

// --- sending -------------------------------------------------------------------------------------

// False if the handler has destroyed the watch. Takes the event's reference.
static bool watch_send(struct api_watch *watch, json_t *event)
{
    if (!watch->flushed) {
        json_array_append_new(watch->queue, event);
        return true;
    }
    bool gone = false;
    bool *outer = watch->gone;
    watch->gone = &gone;
    watch->handlers.event(watch->handlers.context, event);
    json_decref(event);
    if (gone) {
        if (outer != NULL)
            *outer = true;
        return false;
    }
    watch->gone = outer;
    return true;
}

static json_t *event_of(struct api_watch *watch, const char *type, json_t *object)
{
    json_t *seen = view_of(watch->view, object);
    if (watch->table) {
        json_t *table =
            table_of_object(watch->view, seen, watch->include_object,
                            loop_now_ns(watch->server->loop), !watch->table_has_columns);
        watch->table_has_columns = true;
        json_decref(seen);
        seen = table;
    }
    return json_pack("{s:s, s:o}", "type", type, "object", seen);
}

// An object that no longer matches is deleted for this client: its last matching state under the
// new version.
static json_t *with_version_of(json_t *object, const json_t *newer)
{
    json_t *copy = json_copy(object);
    json_t *metadata = json_copy(json_object_get(object, "metadata"));
    json_object_set(metadata, "resourceVersion",
                    json_object_get(json_object_get(newer, "metadata"), "resourceVersion"));
    json_object_set_new(copy, "metadata", metadata);
    return copy;
}

static void receive(void *context, const struct store_change *change)
{
    struct api_watch *watch = context;
    bool matches = api_selector_matches(watch->selector, change->object);
    bool matched =
        change->previous != NULL && api_selector_matches(watch->selector, change->previous);
    bool deleted = strcmp(change->type, "DELETED") == 0;
    if (deleted ? !matched : !matches && !matched)
        return;
    if (deleted) {
        watch_send(watch, event_of(watch, "DELETED", change->object));
    } else if (!matches) {
        json_t *last = with_version_of(change->previous, change->object);
        json_t *event = event_of(watch, "DELETED", last);
        json_decref(last);
        watch_send(watch, event);
    } else {
        watch_send(watch, event_of(watch, matched ? "MODIFIED" : "ADDED", change->object));
    }
}

static json_t *bookmark_event(struct api_watch *watch, uint64_t version, bool initial_end)
{
    const struct store_resource *view = watch->view;
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)version);
    json_t *metadata = json_pack("{s:s}", "resourceVersion", text);
    if (initial_end)
        json_object_set_new(metadata, "annotations",
                            json_pack("{s:s}", "k8s.io/initial-events-end", "true"));
    json_t *api_version =
        json_sprintf("%s%s%s", view->group, view->group[0] != '\0' ? "/" : "", view->version);
    json_t *object = json_pack("{s:s, s:o, s:o}", "kind", view->kind, "apiVersion", api_version,
                               "metadata", metadata);
    return json_pack("{s:s, s:o}", "type", "BOOKMARK", "object", object);
}

static void on_bookmark(void *context)
{
    struct api_watch *watch = context;
    timer_start(watch->bookmark, BOOKMARK_INTERVAL);
    uint64_t version = store_watch_version(watch->changes);
    if (version == watch->bookmarked)
        return;
    watch->bookmarked = version;
    watch_send(watch, bookmark_event(watch, version, false));
}

static void on_flush(void *context)
{
    struct api_watch *watch = context;
    json_t *queue = watch->queue;
    watch->queue = NULL;
    watch->flushed = true;
    size_t i;
    json_t *event;
    json_array_foreach (queue, i, event) {
        if (!watch_send(watch, json_incref(event)))
            break;
    }
    json_decref(queue);
}

static void on_timeout(void *context)
{
    struct api_watch *watch = context;
    watch->handlers.end(watch->handlers.context);
}

void api_watch_start(struct api_watch *watch, const struct api_watch_handlers *handlers)
{
    assert(!watch->started);
    watch->started = true;
    watch->handlers = *handlers;
    timer_start(watch->flush, 0);
    timer_start(watch->timeout, watch->timeout_ns);
    if (watch->bookmarks)
        timer_start(watch->bookmark, BOOKMARK_INTERVAL);
}

void api_watch_destroy(struct api_watch *watch)
{
    if (watch == NULL)
        return;
    if (watch->gone != NULL)
        *watch->gone = true;
    store_watch_destroy(watch->changes);
    api_selector_destroy(watch->selector);
    timer_destroy(watch->flush);
    timer_destroy(watch->bookmark);
    timer_destroy(watch->timeout);
    json_decref(watch->queue);
    free(watch->include_object);
    free(watch);
}

// --- beginning -----------------------------------------------------------------------------------

static bool add_initial(void *context, json_t *object)
{
    struct api_watch *watch = context;
    if (api_selector_matches(watch->selector, object))
        watch_send(watch, event_of(watch, "ADDED", object));
    return true;
}

static int64_t timeout_of(struct api_call *call)
{
    const char *text = call_query(call, "timeoutSeconds");
    int64_t seconds;
    if (text != NULL && text_parse_int64(text, &seconds) && seconds > 0 && seconds < 1000000)
        return ns_multiply(seconds, SECOND);
    return ns_multiply(TIMEOUT_MIN_SECONDS +
                           (int64_t)random_below(&call->server->random, TIMEOUT_MIN_SECONDS),
                       SECOND);
}

static struct api_watch *watch_create(struct api_call *call, struct api_selector *selector)
{
    struct api_watch *watch = memory_allocate(sizeof *watch);
    watch->server = call->server;
    watch->resource = call->resource;
    watch->view = call->view;
    watch->selector = selector;
    watch->queue = json_array();
    watch->table = wants_table(call);
    watch->include_object = memory_copy_string(call_query(call, "includeObject"));
    watch->bookmarks = call_query_is_true(call, "allowWatchBookmarks") && !watch->table;
    watch->timeout_ns = timeout_of(call);
    watch->flush = timer_create_on(call->server->loop, on_flush, watch);
    watch->bookmark = timer_create_on(call->server->loop, on_bookmark, watch);
    watch->timeout = timer_create_on(call->server->loop, on_timeout, watch);
    return watch;
}

// Without a version (or "0") the watch begins with the present state; with one it resumes after it.
// With sendInitialEvents it begins with the state and marks its end by a bookmark.
static bool begin(struct api_call *call, struct api_watch *watch)
{
    const char *text = call_query(call, "resourceVersion");
    uint64_t version = 0;
    if (text != NULL && !version_parse(text, &version))
        return failure_bad_request(&call->failure,
                                   "Invalid value: \"%s\": invalid resource version", text);
    bool initial_events = call_query_is_true(call, "sendInitialEvents");
    const char *match = call_query(call, "resourceVersionMatch");
    if (initial_events && (match == NULL || strcmp(match, "NotOlderThan") != 0 ||
                           !call_query_is_true(call, "allowWatchBookmarks")))
        return failure_bad_request(&call->failure,
                                   "sendInitialEvents requires setting resourceVersionMatch to "
                                   "NotOlderThan and allowWatchBookmarks");
    bool state_first =
        initial_events || (version == 0 && call_query(call, "sendInitialEvents") == NULL);
    watch->changes = store_watch_changes(
        call->store, &(struct store_target){call->resource, call->path.namespace},
        state_first ? 0 : version, receive, watch, &call->failure);
    if (watch->changes == NULL)
        return false;
    if (state_first)
        store_each(call->store, call->resource, call->path.namespace, add_initial, watch);
    watch->bookmarked = store_version(call->store);
    if (initial_events)
        watch_send(watch, bookmark_event(watch, store_version(call->store), true));
    return true;
}

bool call_watch(struct api_call *call)
{
    CLEANUP_FREE char *fields = memory_copy_string(call_query(call, "fieldSelector"));
    if (call->path.name != NULL) { // a watch of one object
        struct text text = {0};
        text_format(&text, "%s%smetadata.name=%s", fields != NULL ? fields : "",
                    fields != NULL ? "," : "", call->path.name);
        free(fields);
        fields = text_take(&text);
    }
    struct api_selector *selector = api_selector_parse(call_query(call, "labelSelector"), fields,
                                                       call->resource, &call->failure);
    if (selector == NULL)
        return false;
    struct api_watch *watch = watch_create(call, selector);
    if (!begin(call, watch)) {
        api_watch_destroy(watch);
        return false;
    }
    call->response->status = 200;
    call->response->watch = watch;
    return true;
}
