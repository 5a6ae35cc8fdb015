#include "sim/apiserver/api_events.h"

#include "base/memory.h"

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

json_t *event_to_view(const json_t *event)
{
    return rename_fields(event, "events.k8s.io/v1", true);
}

json_t *event_from_view(const json_t *event)
{
    return rename_fields(event, "v1", false);
}
