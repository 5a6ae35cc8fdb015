#include "kube/event_recorder.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "kube/transport/bucket.h"

#define MESSAGE_BYTES_MAX 1024  // the API's limit
#define QUEUE_MAX         25000 // two a node for 10,000 nodes, half a KiB each
#define IN_FLIGHT_MAX     16    // events must not crowd out the controllers' own writes
#define ATTEMPTS_MAX      12
#define PAUSE_NS          (10 * SECOND)
// A repeated event is sent as a count update of the earlier one, while the API server keeps that.
#define SENT_MAX     4096
#define SENT_LIFE_NS (50 * MINUTE)
#define WINDOWS_MIN  1024 // the recorder looks for expired windows only above this number

struct sent { // the Event object that an event was sent as
    char *namespace, *name;
    int64_t count;
    int64_t last_ns; // monotonic
};

struct record { // an event on its way; its JSON, ten times as large, is made when it is sent
    TAILQ_ENTRY(record) link;
    struct event_recorder *recorder;
    char *namespace, *name;  // of the event
    const struct kind *kind; // of the object that it is about
    char *about_name, *about_namespace, *about_uid, *about_version; // the last three may be NULL
    char *reason, *message;
    bool warning;
    bool is_update; // updates the count of an event sent before
    unsigned attempts;
    int64_t count;
    int64_t at_ns; // wall clock
};
TAILQ_HEAD(record_list, record);

struct window {
    int64_t end_ns; // monotonic
};

struct event_recorder {
    struct loop *loop;
    struct kube_client *client;
    char *component;
    struct map *windows; // dedupe key to struct window
    size_t windows_limit;
    struct map *buckets; // reason to struct bucket
    struct map *sent;    // hash of object, type, reason and message to struct sent
    struct record_list queue, in_flight;
    unsigned queued, flying;
    struct timer *pause;
    int64_t name_ns; // of the last event's name, so that each is different
};

static bool passes_window(struct event_recorder *recorder, const struct event_request *request,
                          int64_t now_ns);
static void forget_windows(struct event_recorder *recorder, int64_t now_ns);
static bool passes_rate(struct event_recorder *recorder, const struct event_request *request,
                        int64_t now_ns);
static struct record *make_record(struct event_recorder *recorder,
                                  const struct event_request *request, int64_t now_ns);
static struct sent *remember(struct event_recorder *recorder, const struct event_request *request,
                             const char *namespace, int64_t now_ns, bool *is_known);
static void make_name(struct event_recorder *recorder, const struct object *about,
                      struct text *name);
static json_t *make_body(const struct record *record, const char *at);
static void send_more(void *context);
static void send_record(struct record *record);
static void sent_one(void *context, const struct kube_result *result);
static void record_free(struct record *record);
static void free_sent(void *value);

struct event_recorder *event_recorder_create(struct loop *loop, struct kube_client *client,
                                             const char *component)
{
    assert(component != NULL);
    struct event_recorder *recorder = memory_allocate(sizeof *recorder);
    recorder->loop = loop;
    recorder->client = client;
    recorder->component = memory_copy_string(component);
    recorder->windows = map_create();
    recorder->windows_limit = WINDOWS_MIN;
    recorder->buckets = map_create();
    recorder->sent = map_create();
    TAILQ_INIT(&recorder->queue);
    TAILQ_INIT(&recorder->in_flight);
    recorder->pause = timer_create_on(loop, send_more, recorder);
    return recorder;
}

void event_recorder_destroy(struct event_recorder *recorder)
{
    if (recorder == NULL)
        return;
    struct record *record;
    while ((record = TAILQ_FIRST(&recorder->in_flight)) != NULL) {
        kube_cancel(recorder->client, record);
        TAILQ_REMOVE(&recorder->in_flight, record, link);
        record_free(record);
    }
    while ((record = TAILQ_FIRST(&recorder->queue)) != NULL) {
        TAILQ_REMOVE(&recorder->queue, record, link);
        record_free(record);
    }
    timer_destroy(recorder->pause);
    map_destroy(recorder->windows, free);
    map_destroy(recorder->buckets, free);
    map_destroy(recorder->sent, free_sent);
    free(recorder->component);
    free(recorder);
}

bool event_record(struct event_recorder *recorder, const struct event_request *request)
{
    assert(request->about != NULL);
    assert(request->about->kind != NULL);
    assert(request->reason != NULL);
    assert(request->message != NULL);
    assert(request->window_ns > 0);
    assert(request->rate_per_second >= 0);
    int64_t now_ns = loop_monotonic_ns(recorder->loop);
    // In this order: an event dropped by the rate limit has used up its window.
    if (!passes_window(recorder, request, now_ns))
        return false;
    if (!passes_rate(recorder, request, now_ns))
        return true;
    if (recorder->queued >= QUEUE_MAX) {
        log_debug("dropping an event, too many are waiting", "s:reason", request->reason);
        return true;
    }
    struct record *record = make_record(recorder, request, now_ns);
    TAILQ_INSERT_TAIL(&recorder->queue, record, link);
    recorder->queued++;
    if (!timer_is_running(recorder->pause))
        send_more(recorder);
    return true;
}

static bool passes_window(struct event_recorder *recorder, const struct event_request *request,
                          int64_t now_ns)
{
    struct text key = {0};
    for (const char *at = request->reason; *at != '\0'; at++)
        text_add_char(&key, (char)tolower((unsigned char)*at));
    const struct object_meta *about =
        &request->about->meta; // LIF-459: by object, not only by its name
    text_format(&key, "-%s-%s", about->uid != NULL ? about->uid : about->name,
                request->dedupe != NULL ? request->dedupe : request->message);
    struct window *window = map_get(recorder->windows, key.data);
    bool passes = window == NULL || now_ns >= window->end_ns;
    if (passes && window == NULL) {
        forget_windows(recorder, now_ns);
        window = memory_allocate(sizeof *window);
        map_set(recorder->windows, key.data, window);
    }
    if (passes)
        window->end_ns = ns_add(now_ns, request->window_ns);
    assert(window != NULL);
    text_free(&key);
    return passes;
}

// Runs when the windows have doubled: constant effort an event, and no timer.
static void forget_windows(struct event_recorder *recorder, int64_t now_ns)
{
    if (map_count(recorder->windows) < recorder->windows_limit)
        return;
    struct map_entry *next;
    for (struct map_entry *at = map_first(recorder->windows); at != NULL; at = next) {
        next = map_next(at);
        if (((struct window *)map_value(at))->end_ns <= now_ns)
            free(map_remove(recorder->windows, map_key(at)));
    }
    recorder->windows_limit = map_count(recorder->windows) * 2;
    if (recorder->windows_limit < WINDOWS_MIN)
        recorder->windows_limit = WINDOWS_MIN;
}

static bool passes_rate(struct event_recorder *recorder, const struct event_request *request,
                        int64_t now_ns)
{
    if (request->rate_per_second <= 0)
        return true;
    struct bucket *bucket = map_get(recorder->buckets, request->reason);
    if (bucket == NULL) {
        bucket = memory_allocate(sizeof *bucket);
        *bucket = bucket_create(request->rate_per_second, request->burst, now_ns);
        map_set(recorder->buckets, request->reason, bucket);
    }
    return bucket_allow(bucket, now_ns);
}

static struct record *make_record(struct event_recorder *recorder,
                                  const struct event_request *request, int64_t now_ns)
{
    const char *namespace = text_or_empty(request->about->meta.namespace);
    struct record *record = memory_allocate(sizeof *record);
    struct sent *sent = remember(recorder, request, namespace[0] != '\0' ? namespace : "default",
                                 now_ns, &record->is_update);
    const struct object_meta *about = &request->about->meta;
    record->recorder = recorder;
    record->namespace = memory_copy_string(sent->namespace);
    record->name = memory_copy_string(sent->name);
    record->kind = request->about->kind;
    record->about_name = memory_copy_string(text_or_empty(about->name));
    record->about_namespace = memory_copy_string(about->namespace);
    record->about_uid = memory_copy_string(about->uid);
    record->about_version = memory_copy_string(about->resource_version);
    record->reason = memory_copy_string(request->reason);
    record->message = memory_copy_string(request->message);
    record->warning = request->warning;
    record->count = sent->count;
    record->at_ns = loop_now_ns(recorder->loop);
    return record;
}

static struct sent *remember(struct event_recorder *recorder, const struct event_request *request,
                             const char *namespace, int64_t now_ns, bool *is_known)
{
    struct text text = {0};
    char key[65];
    const struct object *about = request->about;
    text_format(&text, "%s\n%s\n%s\n%s\n%d\n%s\n%s", about->kind->name, namespace,
                text_or_empty(about->meta.name), text_or_empty(about->meta.uid), request->warning,
                request->reason, request->message);
    hash_sha256_hex(text.data, text.length, key);
    text_clear(&text);
    struct sent *sent = map_get(recorder->sent, key);
    if (sent != NULL && ns_subtract(now_ns, sent->last_ns) >= SENT_LIFE_NS) {
        free_sent(map_remove(recorder->sent, key));
        sent = NULL;
    }
    *is_known = sent != NULL;
    if (sent == NULL) {
        if (map_count(recorder->sent) >= SENT_MAX)
            free_sent(map_remove(recorder->sent, map_key(map_first(recorder->sent))));
        sent = memory_allocate(sizeof *sent);
        make_name(recorder, about, &text);
        sent->namespace = memory_copy_string(namespace);
        sent->name = text_take(&text);
        map_set(recorder->sent, key, sent);
    }
    text_free(&text);
    sent->count++;
    assert(sent->count > 0);
    assert(sent->last_ns <= now_ns);
    sent->last_ns = now_ns;
    return sent;
}

static void make_name(struct event_recorder *recorder, const struct object *about,
                      struct text *name)
{
    int64_t now_ns = loop_now_ns(recorder->loop);
    recorder->name_ns = now_ns > recorder->name_ns ? now_ns : ns_add(recorder->name_ns, 1);
    // A name has at most 253 characters; the time takes 17 of them.
    text_format(name, "%.236s.%" PRIx64, text_or_empty(about->meta.name),
                (uint64_t)recorder->name_ns);
}

// The message, truncated to the API's limit.
static json_t *message_of(const char *text)
{
    size_t length = strlen(text);
    if (length > MESSAGE_BYTES_MAX) {
        length = MESSAGE_BYTES_MAX;
        while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
            length--; // never inside a character
    }
    json_t *message = json_stringn(text, length);
    return message != NULL ? message : json_string("(not UTF-8)");
}

static json_t *reference_to_object(const struct record *record)
{
    json_t *reference = json_pack("{s:s, s:s, s:s}", "apiVersion", record->kind->api_version,
                                  "kind", record->kind->name, "name", record->about_name);
    const char *const more[][2] = {{"namespace", record->about_namespace},
                                   {"uid", record->about_uid},
                                   {"resourceVersion", record->about_version}};
    for (size_t i = 0; i < ARRAY_LENGTH(more); i++)
        if (more[i][1] != NULL)
            json_object_set_new(reference, more[i][0], json_string(more[i][1]));
    return reference;
}

static json_t *make_body(const struct record *record, const char *at)
{
    const char *component = record->recorder->component;
    return json_pack(
        "{s:s, s:s, s:{s:s, s:s}, s:o, s:s, s:o, s:s, s:{s:s}, s:s, s:s, s:I, s:s, s:s}",
        "apiVersion", "v1", "kind", "Event", "metadata", "name", record->name, "namespace",
        record->namespace, "involvedObject", reference_to_object(record), "reason", record->reason,
        "message", message_of(record->message), "type", record->warning ? "Warning" : "Normal",
        "source", "component", component, "firstTimestamp", at, "lastTimestamp", at, "count",
        (json_int_t)record->count, "reportingComponent", component, "reportingInstance", "");
}

static void send_more(void *context)
{
    struct event_recorder *recorder = context;
    struct record *record;
    while (recorder->flying < IN_FLIGHT_MAX && (record = TAILQ_FIRST(&recorder->queue)) != NULL) {
        TAILQ_REMOVE(&recorder->queue, record, link);
        assert(recorder->queued > 0);
        recorder->queued--;
        TAILQ_INSERT_TAIL(&recorder->in_flight, record, link);
        recorder->flying++;
        assert(recorder->flying <= IN_FLIGHT_MAX);
        send_record(record);
    }
}

static void send_record(struct record *record)
{
    struct kube_client *client = record->recorder->client;
    char at[INSTANT_TEXT_MAX];
    instant_format(record->at_ns, at);
    json_t *body = record->is_update ? json_pack("{s:I, s:s}", "count", (json_int_t)record->count,
                                                 "lastTimestamp", at)
                                     : make_body(record, at);
    record->attempts++;
    if (record->is_update)
        kube_patch(client, &(struct kube_target){KIND_EVENT, record->namespace, record->name},
                   PATCH_MERGE, body, sent_one, record);
    else
        kube_create_json(client, KIND_EVENT, record->namespace, body, sent_one, record);
    json_decref(body);
}

static void sent_one(void *context, const struct kube_result *result)
{
    struct record *record = context;
    struct event_recorder *recorder = record->recorder;
    enum error_kind kind = result->error.kind;
    if (record->is_update && kind == ERROR_NOT_FOUND) { // the server has forgotten it
        record->is_update = false;
        send_record(record);
        return;
    }
    TAILQ_REMOVE(&recorder->in_flight, record, link);
    assert(recorder->flying > 0);
    recorder->flying--;
    bool passing =
        kind == ERROR_UNAVAILABLE || kind == ERROR_TIMEOUT || kind == ERROR_TOO_MANY_REQUESTS;
    if (passing && record->attempts < ATTEMPTS_MAX) {
        TAILQ_INSERT_HEAD(&recorder->queue, record, link);
        recorder->queued++;
        timer_start(recorder->pause, PAUSE_NS);
        return;
    }
    if (kind != ERROR_NONE && kind != ERROR_ALREADY_EXISTS)
        log_debug("an event could not be recorded", "s:namespace", record->namespace, "s:name",
                  record->name, "s:error", result->error.message);
    record_free(record);
    if (!timer_is_running(recorder->pause))
        send_more(recorder);
}

static void record_free(struct record *record)
{
    char *texts[] = {record->namespace,       record->name,      record->about_name,
                     record->about_namespace, record->about_uid, record->about_version,
                     record->reason,          record->message};
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
        free(texts[i]);
    free(record);
}

static void free_sent(void *value)
{
    struct sent *sent = value;
    if (sent == NULL)
        return;
    free(sent->namespace);
    free(sent->name);
    free(sent);
}
