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

static bool record(struct manager *manager, const struct object *about,
                   const struct event_text *event, const char *message)
{
    assert(event->reason != NULL);
    assert(event->rate >= 0);
    struct event_request request = {.about = about,
                                    .warning = event->warning,
                                    .reason = event->reason,
                                    .message = message,
                                    .dedupe = event->dedupe,
                                    .window_ns = event->window_ns,
                                    .rate_per_second = event->rate,
                                    .burst = event->burst};
    return manager->recorder != NULL && manager->started &&
           event_record(manager->recorder, &request);
}

void publish(struct manager *manager, const struct object *about, const struct event_text *event,
             const char *format, ...)
{
    assert(about != NULL);
    va_list arguments;
    va_start(arguments, format);
    char *message CLEANUP_FREE = format_message(format, arguments);
    va_end(arguments);
    record(manager, about, event, message);
}

bool publish_of_node(struct manager *manager, const struct node *node,
                     const struct node_claim *claim, const struct event_text *event,
                     const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *message CLEANUP_FREE = format_message(format, arguments);
    va_end(arguments);
    bool said = node != NULL && record(manager, (const struct object *)node, event, message);
    return (claim != NULL && record(manager, (const struct object *)claim, event, message)) || said;
}
