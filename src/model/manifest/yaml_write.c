#include "model/manifest/yaml_write.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

#include "base/memory.h"

struct writer {
    yaml_emitter_t emitter;
    const struct yaml_form *form;
};

static void write_value(struct writer *writer, const json_t *value);
static void write_string(struct writer *writer, const char *text);
static void write_plain(struct writer *writer, const char *text);
static void emit(struct writer *writer, yaml_event_t *event);
static int append(void *context, unsigned char *data, size_t size);
static bool reads_otherwise(const char *text);

void yaml_write(const json_t *value, struct text *text)
{
    static const struct yaml_form form = {.reads_otherwise = reads_otherwise};
    yaml_write_as(value, &form, text);
}

void yaml_write_as(const json_t *value, const struct yaml_form *form, struct text *text)
{
    assert(value != NULL);
    struct writer writer = {.form = form};
    yaml_event_t event;
    int ready = yaml_emitter_initialize(&writer.emitter);
    assert(ready);
    (void)ready;
    yaml_emitter_set_output(&writer.emitter, append, text);
    yaml_emitter_set_unicode(&writer.emitter, 1);
    yaml_emitter_set_width(&writer.emitter, -1);
    yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING);
    emit(&writer, &event);
    yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1);
    emit(&writer, &event);
    write_value(&writer, value);
    yaml_document_end_event_initialize(&event, 1);
    emit(&writer, &event);
    yaml_stream_end_event_initialize(&event);
    emit(&writer, &event);
    yaml_emitter_delete(&writer.emitter);
}

static void write_object(struct writer *writer, const json_t *object)
{
    yaml_event_t event;
    size_t size = json_object_size(object), count = 0;
    const char **keys = memory_allocate_array(size + 1, sizeof *keys);
    const char *key;
    json_t *member;
    json_object_foreach ((json_t *)object, key, member)
        keys[count++] = key;
    if (writer->form->sorts_keys)
        qsort(keys, count, sizeof *keys, text_compare);
    yaml_mapping_start_event_initialize(
        &event, NULL, NULL, 1, size == 0 ? YAML_FLOW_MAPPING_STYLE : YAML_BLOCK_MAPPING_STYLE);
    emit(writer, &event);
    for (size_t i = 0; i < count; i++) {
        write_string(writer, keys[i]);
        write_value(writer, json_object_get(object, keys[i]));
    }
    yaml_mapping_end_event_initialize(&event);
    emit(writer, &event);
    free(keys);
}

static void write_array(struct writer *writer, const json_t *array)
{
    yaml_event_t event;
    yaml_sequence_style_t style =
        json_array_size(array) == 0 ? YAML_FLOW_SEQUENCE_STYLE : YAML_BLOCK_SEQUENCE_STYLE;
    yaml_sequence_start_event_initialize(&event, NULL, NULL, 1, style);
    emit(writer, &event);
    size_t index;
    json_t *item;
    json_array_foreach (array, index, item)
        write_value(writer, item);
    yaml_sequence_end_event_initialize(&event);
    emit(writer, &event);
}

static void write_value(struct writer *writer, const json_t *value)
{
    if (json_is_object(value)) {
        write_object(writer, value);
    } else if (json_is_array(value)) {
        write_array(writer, value);
    } else if (json_is_string(value)) {
        write_string(writer, json_string_value(value));
    } else {
        char *number = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
        assert(number != NULL);
        write_plain(writer, number);
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

static void write_string(struct writer *writer, const char *text)
{
    yaml_event_t event;
    yaml_scalar_style_t style = YAML_PLAIN_SCALAR_STYLE;
    if (strchr(text, '\n') != NULL)
        style = YAML_LITERAL_SCALAR_STYLE;
    else if (writer->form->reads_otherwise(text))
        style = writer->form->double_quotes ? YAML_DOUBLE_QUOTED_SCALAR_STYLE
                                            : YAML_SINGLE_QUOTED_SCALAR_STYLE;
    int made = yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)text,
                                            (int)strlen(text), 1, 1, style);
    if (made)
        emit(writer, &event);
    else // invalid UTF-8, which JSON cannot contain
        write_plain(writer, "null");
}

static void write_plain(struct writer *writer, const char *text)
{
    yaml_event_t event;
    yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)text, (int)strlen(text),
                                 1, 0, YAML_PLAIN_SCALAR_STYLE);
    emit(writer, &event);
}

static void emit(struct writer *writer, yaml_event_t *event)
{
    int written = yaml_emitter_emit(&writer->emitter, event); // frees the event
    assert(written); // the output is memory, and the events come in order
    (void)written;
}

static int append(void *context, unsigned char *data, size_t size)
{
    text_add_bytes(context, (const char *)data, size);
    return 1;
}
