#include "reconcile/patch.h"

#include <assert.h>

#include "base/duration.h"
#include "base/text.h"
#include "model/schema/pack.h"

void json_add_taint(json_t *taints, const struct taint *taint)
{
    assert(taints != NULL && taint != NULL);
    json_t *out = json_pack("{s:s, s:s}", "key", taint->key, "effect", taint->effect);
    if (taint->value != NULL && *taint->value != '\0')
        json_object_set_new(out, "value", json_string(taint->value));
    if (taint->time_added != 0)
        json_object_set_new(out, "timeAdded", json_instant(taint->time_added));
    json_array_append_new(taints, out);
}

void json_set_taints(json_t *patch, json_t *taints)
{
    assert(patch != NULL && taints != NULL);
    json_object_set_new(patch, "spec", json_pack("{s:o}", "taints", taints));
}

json_t *json_taints(const taint_list *taints, const struct taint *without, const struct taint *with)
{
    assert(taints != NULL);
    assert(without == NULL || taints->count > 0);
    json_t *out = json_array();
    list_for_each (taint, taints)
        if (taint != without)
            json_add_taint(out, taint);
    if (with != NULL)
        json_add_taint(out, with);
    return out;
}

json_t *json_requirements(const requirement_list *requirements)
{
    assert(requirements != NULL);
    json_t *out = json_array();
    list_for_each (requirement, requirements) {
        json_t *entry =
            json_pack("{s:s, s:s}", "key", requirement->key, "operator", requirement->operator);
        if (requirement->values.count > 0) {
            json_t *values = json_array();
            list_for_each (value, &requirement->values)
                json_array_append_new(values, json_string(*value));
            json_object_set_new(entry, "values", values);
        }
        if (requirement->min_values.present)
            json_object_set_new(entry, "minValues", json_integer(requirement->min_values.value));
        json_array_append_new(out, entry);
    }
    return out;
}

json_t *json_instant(int64_t instant)
{
    char text[INSTANT_TEXT_MAX];
    instant_format(instant, text);
    return json_string(text);
}

json_t *json_locked(const struct object *object)
{
    assert(object != NULL);
    return json_pack("{s:{s:s}}", "metadata", "resourceVersion",
                     object->meta.resource_version != NULL ? object->meta.resource_version : "");
}

json_t *json_finalizers(const struct object *object, bool with_ours)
{
    json_t *list = json_array();
    list_for_each (finalizer, &object->meta.finalizers)
        if (with_ours || !text_equal(*finalizer, FINALIZER_TERMINATION))
            json_array_append_new(list, json_string(*finalizer));
    if (with_ours && !object_has_finalizer(object, FINALIZER_TERMINATION))
        json_array_append_new(list, json_string(FINALIZER_TERMINATION));
    assert(!with_ours || json_array_size(list) > 0);
    return list;
}

json_t *json_metadata(json_t *patch, const char *field)
{
    assert(json_is_object(patch));
    assert(field != NULL);
    json_t *metadata = json_object_get(patch, "metadata");
    if (metadata == NULL) {
        metadata = json_object();
        json_object_set_new(patch, "metadata", metadata);
    }
    json_t *map = json_object_get(metadata, field);
    if (map == NULL) {
        map = json_object();
        json_object_set_new(metadata, field, map);
    }
    return map;
}
