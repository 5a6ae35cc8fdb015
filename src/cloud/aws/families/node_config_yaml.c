#include "cloud/aws/families/node_config_yaml.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/memory.h"
#include "base/pattern.h"

static int append(void *context, unsigned char *data, size_t size)
{
    text_add_bytes(context, (const char *)data, size);
    return 1;
}

static void emit(yaml_emitter_t *emitter, yaml_event_t *event)
{
    int written = yaml_emitter_emit(emitter, event); // frees the event
    assert(written); // the output is memory, and the events come in order
    (void)written;
}

static bool is_word(const char *text)
{
    static const char *const words[] = {
        "",     "~",     "null",  "Null",  "NULL",  "y",     "Y",     "yes",   "Yes",   "YES",
        "n",    "N",     "no",    "No",    "NO",    "true",  "True",  "TRUE",  "on",    "On",
        "ON",   "false", "False", "FALSE", "off",   "Off",   "OFF",   ".nan",  ".NaN",  ".NAN",
        ".inf", "<<",    ".Inf",  ".INF",  "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

// Whether a plain text would be read as another type than string: words, numbers (also of base 60),
// dates.
static bool reads_otherwise(const char *text)
{
    return is_word(text) ||
           pattern_matches("^[-+]?(0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+)$", text) ||
           pattern_matches("^[-+]?[0-9_]*\\.?[0-9_]+([eE][-+][0-9]+)?$", text) ||
           pattern_matches("^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\\.[0-9_]*)?$", text) ||
           pattern_matches("^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ].*)?$", text);
}

static void write_scalar(yaml_emitter_t *emitter, const char *text, bool string)
{
    yaml_event_t event;
    yaml_scalar_style_t style = YAML_PLAIN_SCALAR_STYLE;
    if (string && strchr(text, '\n') != NULL)
        style = YAML_LITERAL_SCALAR_STYLE;
    else if (string && reads_otherwise(text))
        style = YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    int made = yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)text,
                                            (int)strlen(text), 1, string, style);
    assert(made); // JSON is valid UTF-8
    (void)made;
    emit(emitter, &event);
}

static void write_value(yaml_emitter_t *emitter, const json_t *value);

static void write_object(yaml_emitter_t *emitter, const json_t *object)
{
    yaml_event_t event;
    const char *key;
    json_t *member;
    size_t count = 0, size = json_object_size(object);
    const char **keys = memory_allocate_array(size + 1, sizeof *keys);
    json_object_foreach ((json_t *)object, key, member)
        keys[count++] = key;
    qsort(keys, count, sizeof *keys, text_compare);
    yaml_mapping_start_event_initialize(
        &event, NULL, NULL, 1, size == 0 ? YAML_FLOW_MAPPING_STYLE : YAML_BLOCK_MAPPING_STYLE);
    emit(emitter, &event);
    for (size_t i = 0; i < count; i++) {
        write_scalar(emitter, keys[i], true);
        write_value(emitter, json_object_get(object, keys[i]));
    }
    yaml_mapping_end_event_initialize(&event);
    emit(emitter, &event);
    free(keys);
}

static void write_array(yaml_emitter_t *emitter, const json_t *array)
{
    yaml_event_t event;
    size_t i;
    json_t *item;
    yaml_sequence_start_event_initialize(&event, NULL, NULL, 1,
                                         json_array_size(array) == 0 ? YAML_FLOW_SEQUENCE_STYLE
                                                                     : YAML_BLOCK_SEQUENCE_STYLE);
    emit(emitter, &event);
    json_array_foreach (array, i, item)
        write_value(emitter, item);
    yaml_sequence_end_event_initialize(&event);
    emit(emitter, &event);
}

static void write_value(yaml_emitter_t *emitter, const json_t *value)
{
    if (json_is_object(value)) {
        write_object(emitter, value);
    } else if (json_is_array(value)) {
        write_array(emitter, value);
    } else if (json_is_string(value)) {
        write_scalar(emitter, json_string_value(value), true);
    } else {
        CLEANUP_FREE char *number = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
        assert(number != NULL);
        write_scalar(emitter, number, false);
    }
}

void node_config_yaml_write(const json_t *value, struct text *text)
{
    assert(value != NULL && text != NULL);
    yaml_emitter_t emitter;
    yaml_event_t event;
    int ready = yaml_emitter_initialize(&emitter);
    assert(ready);
    (void)ready;
    yaml_emitter_set_output(&emitter, append, text);
    yaml_emitter_set_unicode(&emitter, 1);
    yaml_emitter_set_width(&emitter, -1);
    yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING);
    emit(&emitter, &event);
    yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1);
    emit(&emitter, &event);
    write_value(&emitter, value);
    yaml_document_end_event_initialize(&event, 1);
    emit(&emitter, &event);
    yaml_stream_end_event_initialize(&event);
    emit(&emitter, &event);
    yaml_emitter_delete(&emitter);
}
