#include "model/manifest/yaml_write.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

#include "base/memory.h"

static void write_value(yaml_emitter_t *emitter, const json_t *value);
static void write_string(yaml_emitter_t *emitter, const char *text);
static void write_plain(yaml_emitter_t *emitter, const char *text);
static void emit(yaml_emitter_t *emitter, yaml_event_t *event);
static int append(void *context, unsigned char *data, size_t size);

void yaml_write(const json_t *value, struct text *text)
{
    assert(value != NULL);
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

static void write_object(yaml_emitter_t *emitter, const json_t *object)
{
    yaml_event_t event;
    yaml_mapping_style_t style =
        json_object_size(object) == 0 ? YAML_FLOW_MAPPING_STYLE : YAML_BLOCK_MAPPING_STYLE;
    yaml_mapping_start_event_initialize(&event, NULL, NULL, 1, style);
    emit(emitter, &event);
    const char *key;
    json_t *member;
    json_object_foreach ((json_t *)object, key, member) {
        write_string(emitter, key);
        write_value(emitter, member);
    }
    yaml_mapping_end_event_initialize(&event);
    emit(emitter, &event);
}

static void write_array(yaml_emitter_t *emitter, const json_t *array)
{
    yaml_event_t event;
    yaml_sequence_style_t style =
        json_array_size(array) == 0 ? YAML_FLOW_SEQUENCE_STYLE : YAML_BLOCK_SEQUENCE_STYLE;
    yaml_sequence_start_event_initialize(&event, NULL, NULL, 1, style);
    emit(emitter, &event);
    size_t index;
    json_t *item;
    json_array_foreach (array, index, item)
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
        write_string(emitter, json_string_value(value));
    } else {
        char *number = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
        assert(number != NULL);
        write_plain(emitter, number);
        cleanup_free(&number);
    }
}

// Words and numbers that YAML 1.1 does not read as strings.
static bool reads_otherwise(const char *text)
{
    static const char *const words[] = {"y",  "n",   "yes",  "no", "true", "false",
                                        "on", "off", "null", "~",  "=",    "<<"};
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
        if (strcasecmp(text, words[i]) == 0)
            return true;
    // Anything that begins like a number or an instant; unnecessary quotes do no harm.
    return text[0] == '\0' || strchr("0123456789+-.", text[0]) != NULL;
}

static void write_string(yaml_emitter_t *emitter, const char *text)
{
    yaml_event_t event;
    yaml_scalar_style_t style = YAML_PLAIN_SCALAR_STYLE;
    if (strchr(text, '\n') != NULL)
        style = YAML_LITERAL_SCALAR_STYLE;
    else if (reads_otherwise(text))
        style = YAML_SINGLE_QUOTED_SCALAR_STYLE;
    int made = yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)text,
                                            (int)strlen(text), 1, 1, style);
    if (made)
        emit(emitter, &event);
    else // invalid UTF-8, which JSON cannot contain
        write_plain(emitter, "null");
}

static void write_plain(yaml_emitter_t *emitter, const char *text)
{
    yaml_event_t event;
    yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)text, (int)strlen(text),
                                 1, 0, YAML_PLAIN_SCALAR_STYLE);
    emit(emitter, &event);
}

static void emit(yaml_emitter_t *emitter, yaml_event_t *event)
{
    int written = yaml_emitter_emit(emitter, event); // frees the event
    assert(written); // the output is memory, and the events come in order
    (void)written;
}

static int append(void *context, unsigned char *data, size_t size)
{
    text_add_bytes(context, (const char *)data, size);
    return 1;
}
