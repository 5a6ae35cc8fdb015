// From libyaml's events to JSON values: recursive over nodes, no deeper than INPUT_DEPTH_MAX.
#include "model/manifest/input_yaml.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/vector.h"
#include "model/manifest/yaml_hint.h"
#include "model/manifest/yaml_scalar.h"

struct anchor {
    json_t *value;
    uint64_t bytes; // aliases in it written out
    int height;
};
struct spot { // a node's parent: a member, an item, or neither (a root)
    uint32_t parent;
    const char *name;
    uint32_t index;
    bool is_root;
};
struct node {         // the result: one node with everything below it
    json_t *value;    // owned; NULL: not read
    int height;       // 1: a scalar or an empty collection
    bool plain_merge; // the plain scalar <<
    uint32_t line, column;
    uint32_t place; // in the positions
};
struct reader {
    const struct yaml_source *source;
    yaml_parser_t parser;
    yaml_event_t event; // the current one
    bool has_event;
    uint32_t document;  // 0-based
    size_t broken_line; // of the text, where it stops being YAML; 0: it does not
    struct map *anchors;
    struct positions *positions; // the source's, but not inside of keys
    struct error *error;
};

static bool read_document(struct reader *reader);
static bool read_node(struct reader *reader, int depth, const struct spot *spot, struct node *node);
static bool read_mapping(struct reader *reader, int depth, struct node *node);
static bool read_sequence(struct reader *reader, int depth, struct node *node);
static bool read_scalar(struct reader *reader, struct node *node);
static bool read_alias(struct reader *reader, struct node *node);

// --- events and errors ---------------------------------------------------------------------------
static bool fail_at(struct reader *reader, size_t line, size_t column, const char *format, ...)
    PRINTF_LIKE(4, 5);
static bool fail_at(struct reader *reader, size_t line, size_t column, const char *format, ...)
{
    char message[700];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return error_set(reader->error, ERROR_INVALID, "%.500s:%zu:%zu: document %" PRIu32 ": %s",
                     reader->source->file, line, column, reader->document + 1, message);
}

static bool fail_here(struct reader *reader, const char *message)
{
    const yaml_mark_t *mark = &reader->event.start_mark;
    reader->broken_line = mark->line + 1 - reader->source->lines_before;
    return fail_at(reader, mark->line + 1, mark->column + 1, "%s", message);
}

static bool next_event(struct reader *reader)
{
    if (reader->has_event)
        yaml_event_delete(&reader->event);
    reader->has_event = yaml_parser_parse(&reader->parser, &reader->event) != 0;
    size_t before = reader->source->lines_before;
    reader->event.start_mark.line += before;
    if (reader->has_event)
        return true;
    const yaml_parser_t *parser = &reader->parser;
    const char *problem = parser->problem != NULL ? parser->problem : "not YAML";
    if (parser->error == YAML_READER_ERROR)
        return fail_at(reader, before + 1, 1, "byte %zu: %s", parser->problem_offset, problem);
    struct text context = {0};
    if (parser->context != NULL)
        text_format(&context, " %s", parser->context);
    if (parser->context != NULL && parser->context_mark.line != parser->problem_mark.line &&
        strstr(parser->context, "flow") != NULL)
        text_format(&context, " that begins in line %zu", before + parser->context_mark.line + 1);
    reader->broken_line = parser->problem_mark.line + 1;
    fail_at(reader, before + parser->problem_mark.line + 1, parser->problem_mark.column + 1, "%s%s",
            problem, text_or_empty(context.data));
    text_free(&context);
    return false;
}

// --- documents -----------------------------------------------------------------------------------
static bool check_tags(const struct yaml_source *source, struct error *error)
{
    const char *at = source->text, *end = source->text + source->length;
    uint32_t count = 0;
    for (; (at = memmem(at, (size_t)(end - at), "%TAG", 4)) != NULL; at += 4)
        count += at == source->text || at[-1] == '\n';
    return count <= INPUT_TAGS_MAX ||
           error_set(error, ERROR_INVALID, "%.500s: more than %d directives %%TAG", source->file,
                     INPUT_TAGS_MAX);
}

// The message may be cut at its size.
static void add_hint(const struct reader *reader, struct error *error)
{
    const struct yaml_source *source = reader->source;
    struct text hint = {0};
    size_t length = strlen(error->message);
    yaml_hint(source->text, source->length, reader->broken_line, source->lines_before,
              error->message, &hint);
    if (hint.length > 0)
        snprintf(error->message + length, sizeof error->message - length, "; %s", hint.data);
    text_free(&hint);
}

bool yaml_read(const struct yaml_source *source, struct error *error)
{
    assert(source->text != NULL);
    assert(source->receive != NULL);
    struct reader reader = {.source = source, .error = error};
    if (!check_tags(source, error))
        return false;
    if (!yaml_parser_initialize(&reader.parser))
        abort(); // out of memory
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)source->text,
                                 source->length);
    bool fine = next_event(&reader); // the stream's start
    while (fine && (fine = next_event(&reader)) && reader.event.type == YAML_DOCUMENT_START_EVENT) {
        fine = read_document(&reader);
        reader.document++;
    }
    if (reader.has_event)
        yaml_event_delete(&reader.event);
    yaml_parser_delete(&reader.parser);
    if (!fine)
        add_hint(&reader, error);
    return fine;
}

static void free_anchor(void *value)
{
    struct anchor *anchor = value;
    json_decref(anchor->value);
    free(anchor);
}

static bool read_document(struct reader *reader)
{
    assert(reader->anchors == NULL);
    struct node root = {0};
    struct spot spot = {.is_root = true};
    reader->anchors = map_create();
    reader->positions = reader->source->positions;
    bool fine = next_event(reader) && read_node(reader, 1, &spot, &root) && next_event(reader);
    map_destroy(reader->anchors, free_anchor);
    reader->anchors = NULL;
    if (!fine) {
        json_decref(root.value);
        return false;
    }
    if (json_is_null(root.value)) {
        json_decref(root.value);
        root.value = NULL;
    }
    return reader->source->receive(
        reader->source->context,
        (struct yaml_document){root.value, root.line, root.column, root.place}, reader->error);
}

// --- nodes ---------------------------------------------------------------------------------------
static bool take_memory(struct reader *reader, uint64_t bytes)
{
    *reader->source->bytes += bytes;
    return *reader->source->bytes <= INPUT_MEMORY_BYTES_MAX ||
           fail_at(reader, reader->event.start_mark.line + 1, reader->event.start_mark.column + 1,
                   "the values take more than %" PRIu64 " MiB of memory after aliases",
                   INPUT_MEMORY_BYTES_MAX >> 20);
}

static uint32_t add_position(struct reader *reader, const struct spot *spot,
                             const struct node *node)
{
    struct positions *positions = reader->positions;
    if (spot->is_root)
        return positions_add_root(positions, node->line, node->column);
    if (spot->name != NULL)
        return positions_add_member(positions, spot->parent, spot->name, node->line, node->column);
    return positions_add_item(positions, spot->parent, spot->index, node->line, node->column);
}

static bool add_anchor(struct reader *reader, const char *name, const struct node *node,
                       uint64_t bytes)
{
    assert(node->value != NULL);
    assert(node->height >= 1);
    struct anchor *anchor = memory_allocate(sizeof *anchor);
    *anchor = (struct anchor){json_incref(node->value), bytes, node->height};
    struct anchor *before = map_set(reader->anchors, name, anchor);
    if (before != NULL)
        free_anchor(before);
    return take_memory(reader, INPUT_ANCHOR_BYTES + strlen(name));
}

static const char *anchor_of(const yaml_event_t *event)
{
    return (
        const char *)(event->type == YAML_SCALAR_EVENT           ? event->data.scalar.anchor
                      : event->type == YAML_MAPPING_START_EVENT  ? event->data.mapping_start.anchor
                      : event->type == YAML_SEQUENCE_START_EVENT ? event->data.sequence_start.anchor
                                                                 : NULL);
}

// The node that the current event begins; afterwards its last event is the current one.
static bool read_node(struct reader *reader, int depth, const struct spot *spot, struct node *node)
{
    assert(depth >= 1);
    const yaml_event_t *event = &reader->event;
    if (depth > INPUT_DEPTH_MAX)
        return fail_here(reader, "nested deeper than 64");
    node->line = (uint32_t)event->start_mark.line + 1;
    node->column = (uint32_t)event->start_mark.column + 1;
    node->height = 1;
    if (reader->positions != NULL)
        node->place = add_position(reader, spot, node);
    if (event->type == YAML_ALIAS_EVENT)
        return read_alias(reader, node) && (depth + node->height - 1 <= INPUT_DEPTH_MAX ||
                                            fail_here(reader, "nested deeper than 64"));
    uint64_t bytes_before = *reader->source->bytes;
    CLEANUP_FREE char *anchor = memory_copy_string(anchor_of(event));
    bool fine = event->type == YAML_SCALAR_EVENT          ? read_scalar(reader, node)
                : event->type == YAML_MAPPING_START_EVENT ? read_mapping(reader, depth, node)
                                                          : read_sequence(reader, depth, node);
    return fine && (anchor == NULL ||
                    add_anchor(reader, anchor, node, *reader->source->bytes - bytes_before));
}

static bool read_alias(struct reader *reader, struct node *node)
{
    const char *name = (const char *)reader->event.data.alias.anchor;
    const struct anchor *anchor = map_get(reader->anchors, name);
    if (anchor == NULL)
        return fail_at(reader, node->line, node->column,
                       "*%.100s names no anchor that is complete before it", name);
    node->value = json_incref(anchor->value);
    node->height = anchor->height;
    return take_memory(reader, anchor->bytes);
}

static bool is_tag(const char *tag, const char *name)
{
    static const char prefix[] = "tag:yaml.org,2002:";
    return strncmp(tag, prefix, sizeof prefix - 1) == 0 &&
           strcmp(tag + sizeof prefix - 1, name) == 0;
}

static bool read_scalar(struct reader *reader, struct node *node)
{
    const char *text = (const char *)reader->event.data.scalar.value;
    size_t length = reader->event.data.scalar.length;
    const char *tag = (const char *)reader->event.data.scalar.tag;
    bool is_plain = reader->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    bool resolve = tag == NULL ? is_plain
                               : is_tag(tag, "int") || is_tag(tag, "float") ||
                                     is_tag(tag, "bool") || is_tag(tag, "null");
    if (tag != NULL && !resolve && strcmp(tag, "!") != 0 && !is_tag(tag, "str"))
        return fail_at(reader, node->line, node->column, "the tag %.100s means nothing here", tag);
    if (memchr(text, '\0', length) != NULL)
        return fail_here(reader, "a NUL character in a text");
    node->value = resolve ? yaml_resolve_plain(text, length) : json_stringn(text, length);
    if (node->value == NULL)
        return fail_at(reader, node->line, node->column, "%.40s cannot be said in JSON", text);
    node->plain_merge = tag == NULL && is_plain && strcmp(text, "<<") == 0;
    return take_memory(reader, INPUT_SCALAR_BYTES + length);
}

static void grow_above(struct node *parent, const struct node *child)
{
    if (child->height + 1 > parent->height)
        parent->height = child->height + 1;
}

static bool read_sequence(struct reader *reader, int depth, struct node *node)
{
    struct spot spot = {.parent = node->place};
    node->value = json_array();
    if (!take_memory(reader, INPUT_ARRAY_BYTES))
        return false;
    for (; next_event(reader); spot.index++) {
        if (reader->event.type == YAML_SEQUENCE_END_EVENT)
            return true;
        struct node item = {0};
        bool fine = read_node(reader, depth + 1, &spot, &item);
        if (fine && !reader->source->positions_only)
            json_array_append(node->value, item.value);
        json_decref(item.value);
        if (!fine)
            return false;
        grow_above(node, &item);
    }
    return false;
}

// --- mappings ------------------------------------------------------------------------------------
struct mapping {
    struct node *node;
    VECTOR(uint32_t) lines; // of the keys in the object, in its order
    json_t *merges;         // array of mappings, in order
};

// JSON's keys are strings: numbers and booleans become text.
static char *key_text(struct reader *reader, const struct node *key)
{
    if (json_is_string(key->value))
        return memory_copy_string(json_string_value(key->value));
    if (json_is_number(key->value) || json_is_boolean(key->value)) {
        char *dumped = json_dumps(key->value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
        if (dumped != NULL)
            return dumped;
    }
    fail_at(reader, key->line, key->column, "a key must be a text");
    return NULL;
}

static uint32_t line_of_key(const struct mapping *mapping, const char *name)
{
    const char *key;
    json_t *value;
    uint32_t at = 0;
    json_object_foreach (mapping->node->value, key, value) {
        if (strcmp(key, name) == 0)
            break;
        at++;
    }
    assert(at < mapping->lines.count);
    return mapping->lines.items[at];
}

// A text read for positions only was read for its values before, which refused duplicate keys.
static bool check_key(struct reader *reader, const struct mapping *mapping, const char *name,
                      const struct node *key)
{
    return json_object_get(mapping->node->value, name) == NULL ||
           fail_at(reader, key->line, key->column,
                   "the key \"%.200s\" stands twice in one mapping, on lines %" PRIu32
                   " and %" PRIu32,
                   name, line_of_key(mapping, name), key->line);
}

static bool add_merge(struct reader *reader, struct mapping *mapping, const struct node *value)
{
    assert(value->value != NULL);
    if (json_is_object(value->value)) {
        json_array_append(mapping->merges, value->value);
        return true;
    }
    size_t index;
    json_t *item;
    if (!json_is_array(value->value))
        return fail_at(reader, value->line, value->column, "<< takes a mapping or a list of them");
    json_array_foreach (value->value, index, item) {
        if (!json_is_object(item))
            return fail_at(reader, value->line, value->column,
                           "<< takes a mapping or a list of them");
        json_array_append(mapping->merges, item);
    }
    return true;
}

static bool add_member(struct reader *reader, struct mapping *mapping, const char *name,
                       const struct node *key, const struct node *value)
{
    if (reader->source->positions_only)
        return true;
    if (key->plain_merge)
        return add_merge(reader, mapping, value);
    json_object_set(mapping->node->value, name, value->value);
    vector_push(&mapping->lines, key->line);
    return true;
}

// One key with its value; the current event begins the key.
static bool read_entry(struct reader *reader, int depth, struct mapping *mapping)
{
    assert(json_is_object(mapping->node->value));
    struct node key = {0}, value = {0};
    struct positions *positions = reader->positions;
    reader->positions = NULL; // keys have no position of their own
    bool fine = read_node(reader, depth + 1, &(struct spot){0}, &key);
    reader->positions = positions;
    CLEANUP_FREE char *name = fine ? key_text(reader, &key) : NULL;
    json_decref(key.value);
    if (name == NULL || !take_memory(reader, INPUT_MEMBER_BYTES + strlen(name)))
        return false;
    if (!key.plain_merge && !check_key(reader, mapping, name, &key))
        return false;
    struct spot spot = {.parent = mapping->node->place, .name = name};
    fine = next_event(reader) && read_node(reader, depth + 1, &spot, &value) &&
           add_member(reader, mapping, name, &key, &value);
    json_decref(value.value);
    grow_above(mapping->node, &key);
    grow_above(mapping->node, &value);
    return fine;
}

static bool read_mapping(struct reader *reader, int depth, struct node *node)
{
    struct mapping mapping = {.node = node, .merges = json_array()};
    node->value = json_object();
    bool fine = take_memory(reader, INPUT_OBJECT_BYTES);
    while (fine && (fine = next_event(reader)) && reader->event.type != YAML_MAPPING_END_EVENT)
        fine = read_entry(reader, depth, &mapping);
    size_t index;
    json_t *merge;
    if (fine)
        json_array_foreach (mapping.merges, index, merge)
            json_object_update_missing(node->value, merge); // an existing key wins
    json_decref(mapping.merges);
    vector_free(&mapping.lines);
    return fine;
}
