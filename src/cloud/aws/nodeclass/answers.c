#include "cloud/aws/nodeclass/answers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/map.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "base/vector.h"

#define STALE_LIFETIME MINUTE     // of a last value after a failure
#define KEEP_EXPIRED   (2 * HOUR) // of last values
#define SWEEP          MINUTE     // AWN-551

struct wait {
    struct operation operation;
};
struct entry {
    struct answers *answers;
    char *key;
    struct answer answer;
    struct aws_call *call;
    int64_t asked_at;
    struct question question; // without key and parameters
    json_t *last;             // of keeps_last
    VECTOR(struct wait *) waits;
};
struct answers {
    struct loop *loop;
    struct aws_client *client;
    struct map *entries;
    struct timer *sweep;
};

static void sweep(void *context);

struct answers *answers_create(struct loop *loop, struct aws_client *client)
{
    struct answers *answers = memory_allocate(sizeof *answers);
    answers->loop = loop;
    answers->client = client;
    answers->entries = map_create();
    answers->sweep = timer_create_on(loop, sweep, answers);
    return answers;
}

static void clear(struct entry *entry)
{
    json_decref(entry->answer.value);
    free(entry->answer.code);
    free(entry->answer.message);
    entry->answer = (struct answer){0};
}

static void free_entry(void *value)
{
    struct entry *entry = value;
    if (entry->call != NULL)
        aws_call_cancel(entry->call);
    clear(entry);
    json_decref(entry->last);
    vector_free(&entry->waits); // their operations end with the manager's
    free(entry->key);
    free(entry);
}

void answers_destroy(struct answers *answers)
{
    if (answers == NULL)
        return;
    map_destroy(answers->entries, free_entry);
    timer_destroy(answers->sweep);
    free(answers);
}

static bool is_current(const struct answers *answers, const struct entry *entry)
{
    return entry->answer.state == ANSWER_PENDING || entry->answer.state == ANSWER_FAILED ||
           loop_monotonic_ns(answers->loop) < entry->answer.expires_at;
}

static void sweep(void *context)
{
    struct answers *answers = context;
    int64_t now = loop_monotonic_ns(answers->loop);
    for (struct map_entry *at = map_first(answers->entries), *next; at != NULL; at = next) {
        next = map_next(at);
        struct entry *entry = map_value(at);
        int64_t keep = entry->last != NULL ? KEEP_EXPIRED : 0;
        bool done = entry->answer.state != ANSWER_PENDING && entry->waits.count == 0;
        if (done && ns_subtract(now, entry->answer.expires_at) >= keep)
            free_entry(map_remove(answers->entries, map_key(at)));
    }
    if (map_count(answers->entries) > 0)
        timer_start(answers->sweep, SWEEP);
}

static struct entry *ensure(struct answers *answers, const char *key)
{
    struct entry *entry = map_get(answers->entries, key);
    if (entry == NULL) {
        entry = memory_allocate(sizeof *entry);
        entry->answers = answers;
        entry->key = memory_copy_string(key);
        map_set(answers->entries, key, entry);
        if (!timer_is_running(answers->sweep))
            timer_start(answers->sweep, SWEEP);
    }
    return entry;
}

static void wake_waits(struct entry *entry)
{
    // An operation's end may run no reconcile by itself, so the list stays as it is.
    for (uint32_t i = 0; i < entry->waits.count; i++)
        operation_end(&entry->waits.items[i]->operation, OPERATION_NOTED, NULL);
    entry->waits.count = 0;
}

static void set_ready(struct entry *entry, json_t *value, int64_t lifetime_ns)
{
    clear(entry);
    int64_t now = loop_monotonic_ns(entry->answers->loop);
    entry->answer.state = ANSWER_READY;
    entry->answer.value = value;
    entry->answer.since = now;
    entry->answer.expires_at = ns_add(now, lifetime_ns);
    wake_waits(entry);
}

static void set_failed(struct entry *entry, const struct aws_result *failure)
{
    assert(failure->error.kind != ERROR_NONE);
    clear(entry);
    int64_t now = loop_monotonic_ns(entry->answers->loop);
    entry->answer = (struct answer){.state = ANSWER_FAILED,
                                    .error = failure->error,
                                    .fault = failure->fault,
                                    .code = memory_copy_string(text_or_empty(failure->code)),
                                    .message = memory_copy_string(text_or_empty(failure->message)),
                                    .since = now,
                                    .expires_at = ns_add(now, HOUR)};
    wake_waits(entry);
}

static void on_reply(void *context, const struct aws_result *result)
{
    struct entry *entry = context;
    struct question *question = &entry->question;
    entry->call = NULL;
    if (result->error.kind == ERROR_NONE) {
        if (question->fetched != NULL)
            question->fetched(question->context, result->reply, entry->asked_at);
        if (question->keeps_last) {
            json_decref(entry->last);
            entry->last = json_incref((json_t *)result->reply);
        }
        set_ready(entry, json_incref((json_t *)result->reply), question->lifetime_ns);
        return;
    }
    bool absent = result->fault == AWS_FAULT_NOT_FOUND ||
                  (question->is_absent != NULL && question->is_absent(result));
    if (absent && question->absent_lifetime_ns > 0) {
        set_ready(entry, NULL, question->absent_lifetime_ns);
    } else if (!absent && entry->last != NULL) {
        log_error("an older answer of AWS stays in use", "s:key", entry->key, "s:error",
                  result->error.message);
        set_ready(entry, json_incref(entry->last), STALE_LIFETIME);
    } else {
        set_failed(entry, result);
    }
}

const struct answer *answers_ask(struct answers *answers, const struct question *question)
{
    assert(question->key != NULL);
    assert(question->lifetime_ns > 0);
    struct entry *entry = map_get(answers->entries, question->key);
    if (entry != NULL && is_current(answers, entry)) {
        json_decref(question->parameters);
        return &entry->answer;
    }
    entry = ensure(answers, question->key);
    clear(entry);
    entry->answer.state = ANSWER_PENDING;
    entry->question = *question;
    entry->question.key = NULL;
    entry->question.parameters = NULL;
    entry->asked_at = loop_now_ns(answers->loop);
    entry->call =
        aws_client_start(answers->client, &(struct aws_request){.action = question->action,
                                                                .parameters = question->parameters,
                                                                .all_pages = question->all_pages,
                                                                .done = on_reply,
                                                                .context = entry});
    return &entry->answer;
}

const struct answer *answers_find(struct answers *answers, const char *key)
{
    struct entry *entry = map_get(answers->entries, key);
    return entry != NULL && is_current(answers, entry) ? &entry->answer : NULL;
}

void answers_begin(struct answers *answers, const char *key)
{
    struct entry *entry = ensure(answers, key);
    assert(entry->call == NULL);
    clear(entry);
    entry->answer.state = ANSWER_PENDING;
}

void answers_end(struct answers *answers, const char *key, json_t *value, int64_t lifetime_ns)
{
    set_ready(ensure(answers, key), value, lifetime_ns);
}

void answers_fail(struct answers *answers, const char *key, const struct aws_result *failure)
{
    set_failed(ensure(answers, key), failure);
}

void answers_wait(struct answers *answers, const char *key, const struct operation_about *about)
{
    struct entry *entry = map_get(answers->entries, key);
    assert(entry != NULL);
    assert(entry->answer.state == ANSWER_PENDING);
    struct wait *wait = operation_begin(about, sizeof *wait);
    vector_push(&entry->waits, wait);
}

void answers_drop(struct answers *answers, const char *key)
{
    struct entry *entry = map_get(answers->entries, key);
    if (entry == NULL || entry->answer.state == ANSWER_PENDING)
        return;
    if (entry->last != NULL) {
        entry->answer.expires_at = 0;
        entry->answer.state = ANSWER_READY;
        return;
    }
    free_entry(map_remove(answers->entries, key));
}

void answers_drop_prefix(struct answers *answers, const char *prefix)
{
    for (struct map_entry *at = map_first(answers->entries), *next; at != NULL; at = next) {
        next = map_next(at);
        struct entry *entry = map_value(at);
        if (text_starts_with(map_key(at), prefix) && entry->answer.state != ANSWER_PENDING)
            free_entry(map_remove(answers->entries, map_key(at)));
    }
}

void answers_each(struct answers *answers, const char *prefix,
                  void (*see)(void *context, const char *key, const json_t *value), void *context)
{
    for (struct map_entry *at = map_first(answers->entries); at != NULL; at = map_next(at)) {
        const struct entry *entry = map_value(at);
        if (text_starts_with(map_key(at), prefix) && entry->answer.state == ANSWER_READY &&
            entry->answer.value != NULL)
            see(context, map_key(at), entry->answer.value);
    }
}
