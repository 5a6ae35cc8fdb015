#include "model/snapshot/snapshot_encode.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "base/text.h"
#include "model/reading/setting_values.h"
#include "model/reading/settings_read.h"
#include "model/reading/settings_table.h"
#include "model/schema/encode.h"

// To the nanosecond, so that a decision replays at the same instant.
static void format_instant(int64_t nanoseconds, char out[INSTANT_TEXT_MAX])
{
    int64_t fraction = nanoseconds % SECOND;
    if (fraction < 0)
        fraction = ns_add(fraction, SECOND);
    assert(fraction >= 0);
    assert(fraction < SECOND);
    instant_format(ns_subtract(nanoseconds, fraction), out);
    size_t length = strlen(out);
    if (fraction != 0)
        snprintf(out + length - 1, INSTANT_TEXT_MAX - length + 1, ".%09lldZ", (long long)fraction);
}

static json_t *encode_names(const struct string_list *names)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < names->count; i++)
        json_array_append_new(list, json_string(names->items[i]));
    return list;
}

static json_t *encode_context(const struct snapshot *snapshot)
{
    json_t *spec = json_object(), *settings = json_object(), *learned = json_array();
    uint32_t count;
    const struct setting *table = settings_table(&count);
    if (snapshot->time != 0) {
        char text[INSTANT_TEXT_MAX];
        format_instant(snapshot->time, text);
        json_object_set_new(spec, "time", json_string(text));
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!settings_is_explicit(&snapshot->settings, i))
            continue;
        struct text text = {0};
        setting_format(&snapshot->settings, &table[i], &text);
        json_object_set_new(settings, table[i].environment,
                            json_string(text.data == NULL ? "" : text.data));
        if (settings_is_learned(&snapshot->settings, i))
            json_array_append_new(learned, json_string(table[i].environment));
        text_free(&text);
    }
    json_object_set_new(spec, "settings", settings);
    if (json_array_size(learned) > 0)
        json_object_set(spec, "learned", learned);
    json_decref(learned);
    if (snapshot->require_unschedulable_condition)
        json_object_set_new(spec, "requireUnschedulable", json_true());
    json_t *nominated = json_object();
    list_for_each (nomination, &snapshot->nominated) {
        char text[INSTANT_TEXT_MAX];
        format_instant(nomination->until, text);
        json_object_set_new(nominated, nomination->node, json_string(text));
    }
    json_object_set_new(spec, "markedForDeletion", encode_names(&snapshot->marked_for_deletion));
    if (snapshot->buffer_nodes.count > 0)
        json_object_set_new(spec, "bufferNodes", encode_names(&snapshot->buffer_nodes));
    json_object_set_new(spec, "nominated", nominated);
    return json_pack("{s:s, s:s, s:o}", "apiVersion", "adze/v1", "kind", "SnapshotContext", "spec",
                     spec);
}

json_t *snapshot_encode(const struct snapshot *snapshot)
{
    json_t *items = json_array();
    json_array_append_new(items, encode_context(snapshot));
    for (int kind = 0; kind < KIND_COUNT; kind++)
        for (uint32_t i = 0; i < snapshot->objects[kind].count; i++)
            json_array_append_new(items, object_encode(snapshot->objects[kind].items[i]));
    return json_pack("{s:s, s:s, s:o}", "apiVersion", "v1", "kind", "List", "items", items);
}
