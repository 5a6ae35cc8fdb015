#include "reconcile/events.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/memory.h"
#include "reconcile/manager.h"

static PRINTF_LIKE(1, 0) char *format_message(const char *format, va_list arguments)
{
    char *message = NULL;
    int length = vasprintf(&message, format, arguments);
    assert(length >= 0);
    return length >= 0 ? message : NULL;
}

static bool record(struct manager *manager, const struct object *about, enum event_reason reason,
                   const char *name, const char *key, const char *message)
{
    const struct event_row *row = event_row(reason);
    assert(name != NULL);
    assert(event_is_of(reason, about->kind->id));
    struct event_request request = {.about = about,
                                    .warning = row->type == EVENT_WARNING,
                                    .reason = name,
                                    .message = message,
                                    .dedupe = key,
                                    .window_ns = row->window_ns,
                                    .rate_per_second = row->rate,
                                    .burst = row->burst};
    return manager->recorder != NULL && manager->started &&
           event_record(manager->recorder, &request);
}

void publish(struct manager *manager, const struct object *about, enum event_reason reason,
             const char *format, ...)
{
    assert(about != NULL);
    va_list arguments;
    va_start(arguments, format);
    char *message CLEANUP_FREE = format_message(format, arguments);
    va_end(arguments);
    record(manager, about, reason, event_name(reason), NULL, message);
}

void publish_keyed(struct manager *manager, const struct object *about, enum event_reason reason,
                   const char *key, const char *format, ...)
{
    assert(about != NULL);
    va_list arguments;
    va_start(arguments, format);
    char *message CLEANUP_FREE = format_message(format, arguments);
    va_end(arguments);
    record(manager, about, reason, event_name(reason), key, message);
}

bool publish_of_node(struct manager *manager, const struct node *node,
                     const struct node_claim *claim, enum event_reason reason, const char *format,
                     ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *message CLEANUP_FREE = format_message(format, arguments);
    va_end(arguments);
    const struct object *const objects[] = {(const struct object *)node,
                                            (const struct object *)claim};
    bool said = false;
    for (size_t i = 0; i < ARRAY_LENGTH(objects); i++)
        if (objects[i] != NULL)
            said = record(manager, objects[i], reason, event_name(reason), NULL, message) || said;
    return said;
}

void publish_transition(struct manager *manager, const struct object *about, const char *type,
                        const char *key, const char *message)
{
    assert(about != NULL);
    record(manager, about, EVENT_CONDITION_TRANSITIONED, type, key, message);
}
