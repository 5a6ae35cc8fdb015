#include "control/state/protection_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/hash.h"
#include "model/reading/pod.h"

struct protection_events {
    struct control *control;
    struct map *published; // uint64_t by UID of the pod: hash of the last text
};

struct protection_events *protection_events_create(struct control *control)
{
    struct protection_events *events = memory_allocate(sizeof *events);
    events->control = control;
    events->published = map_create();
    mirror_on_change(control->manager.mirror, KIND_POD, forget_object, events->published);
    return events;
}

void protection_events_destroy(struct protection_events *events)
{
    if (events == NULL)
        return;
    map_destroy(events->published, free);
    free(events);
}

static void publish_once(struct protection_events *events, const struct pod *pod,
                         enum event_reason event, const char *text)
{
    uint64_t hash = hash_string(text);
    if (pod->meta.uid != NULL) {
        uint64_t *published = map_ensure(events->published, pod->meta.uid, sizeof *published);
        if (*published == hash)
            return;
        *published = hash;
    }
    publish(&events->control->manager, (const struct object *)pod, event, "%s", text);
}

static void publish_invalid(struct protection_events *events, const struct pod *pod,
                            const char *value)
{
    int64_t duration;
    struct error error = {0};
    struct text text = {0};
    text_add(&text, "Invalid " ANNOTATION_DO_NOT_DISRUPT " annotation: ");
    if (duration_parse(value, &duration, &error))
        text_format(&text, "duration \"%s\" must be positive", value);
    else
        text_format(&text, "failed to parse \"%s\" as a duration: %s", value, error.message);
    text_add(&text, ", ignoring annotation");
    publish_once(events, pod, EVENT_INVALID_DO_NOT_DISRUPT_ANNOTATION, text.data);
    text_free(&text);
}

void protection_events_publish(struct protection_events *events, const struct pod *pod)
{
    const char *value = string_map_get(&pod->meta.annotations, ANNOTATION_DO_NOT_DISRUPT);
    char instant[INSTANT_TEXT_MAX], text[INSTANT_TEXT_MAX + 100];
    int64_t until;
    if (value == NULL)
        return;
    switch (pod_protection(pod, manager_now(&events->control->manager), &until)) {
    case PROTECTION_INVALID:
        publish_invalid(events, pod, value);
        break;
    case PROTECTED_UNTIL:
        instant_format(until, instant);
        snprintf(text, sizeof text,
                 "The " ANNOTATION_DO_NOT_DISRUPT " grace period will elapse at %s", instant);
        publish_once(events, pod, EVENT_DO_NOT_DISRUPT_UNTIL, text);
        break;
    case PROTECTION_ELAPSED:
        publish_once(events, pod, EVENT_DO_NOT_DISRUPT_GRACE_PERIOD_ELAPSED,
                     "The " ANNOTATION_DO_NOT_DISRUPT
                     " grace period has elapsed, pod is now disruptable");
        break;
    case DISRUPTABLE:
    case PROTECTED:
        break;
    }
}
