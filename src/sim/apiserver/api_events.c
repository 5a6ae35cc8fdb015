#include "sim/apiserver/api_events.h"

#include <string.h>

#include "base/memory.h"
#include "sim/apiserver/api_internal.h"

static const struct {
    const char *core, *view;
} names[] = {
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
    {"reportingComponent", "reportingController"},
};

static json_t *rename_fields(const json_t *event, const char *api_version, bool to_view)
{
    json_t *result = json_copy((json_t *)event);
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        const char *from = to_view ? names[i].core : names[i].view;
        const char *to = to_view ? names[i].view : names[i].core;
        json_t *value = json_object_get(result, from);
        if (value == NULL)
            continue;
        json_object_set(result, to, value);
        json_object_del(result, from);
    }
    json_object_set_new(result, "apiVersion", json_string(api_version));
    return result;
}

// core/v1 to events.k8s.io/v1; a new reference.
static json_t *event_to_view(const json_t *event)
{
    return rename_fields(event, "events.k8s.io/v1", true);
}

static json_t *event_from_view(const json_t *event)
{
    return rename_fields(event, "v1", false);
}

static bool is_event_view(const struct store_resource *view)
{
    return strcmp(view->group, "events.k8s.io") == 0;
}

json_t *view_of(const struct store_resource *view, json_t *object)
{
    return is_event_view(view) ? event_to_view(object) : json_incref(object);
}

json_t *view_read(const struct store_resource *view, json_t *object)
{
    if (object == NULL || !is_event_view(view) || !json_is_object(object))
        return json_incref(object);
    return event_from_view(object);
}
