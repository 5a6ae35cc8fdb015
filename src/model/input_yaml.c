// From libyaml's events to JSON values: recursive over nodes, no deeper than INPUT_DEPTH_MAX.
#include "model/input_yaml.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/memory.h"
#include "model/path.h"

struct anchor {
    json_t *value;
    uint64_t nodes; // after alias expansion
    int height;
};
struct node {      // what was read: one node with everything below it
    json_t *value; // owned; NULL: not read
    uint64_t nodes;
    int height;       // 1: a scalar or an empty collection
    bool plain_merge; // the plain scalar <<
    uint32_t line, column;
};
struct reader {
    const struct yaml_source *source;
    yaml_parser_t parser;
    yaml_event_t event; // the current one
    bool has_event;
    uint32_t document; // 0-based
    struct map *anchors;
    struct map *positions;
    struct text path;
    bool duplicate_key;
    struct error *error;
};

static bool read_document(struct reader *reader);
static bool read_node(struct reader *reader, int depth, struct node *node);
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
    return fail_at(reader, before + parser->problem_mark.line + 1, parser->problem_mark.column + 1, "%s%s%s",
                   problem, parser->context != NULL ? " " : "",
                   parser->context != NULL ? parser->context : "");
}

// --- documents -----------------------------------------------------------------------------------
bool yaml_read(const struct yaml_source *source, bool *duplicate_key, struct error *error)
{
    struct reader reader = {.source = source, .error = error};
    *duplicate_key = false;
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
    text_free(&reader.path);
    *duplicate_key = reader.duplicate_key;
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
    struct node root = {0};
    reader->anchors = map_create();
    reader->positions = reader->source->with_positions ? map_create() : NULL;
    text_clear(&reader->path);
    bool fine = next_event(reader) && read_node(reader, 1, &root) && next_event(reader);
    map_destroy(reader->anchors, free_anchor);
    struct yaml_document document = {.value = root.value,
                                     .line = root.line,
                                     .column = root.column,
                                     .positions = reader->positions};
    reader->anchors = reader->positions = NULL;
    if (!fine) {
        json_decref(document.value);
        if (document.positions != NULL)
            map_destroy(document.positions, NULL);
        return false;
    }
    if (json_is_null(document.value)) {
        json_decref(document.value);
        document.value = NULL;
    }
    reader->source->receive(reader->source->context, document);
    return true;
}

// --- nodes
// ---------------------------------------------------------------------------------------- The node
// that the current event begins; afterwards its last event is the current one.
static bool read_node(struct reader *reader, int depth, struct node *node)
{
    if (depth > INPUT_DEPTH_MAX)
        return fail_here(reader, "nested deeper than 64");
    node->line = (uint32_t)reader->event.start_mark.line + 1;
    node->column = (uint32_t)reader->event.start_mark.column + 1;
    node->nodes = 1;
    node->height = 1;
    if (reader->positions != NULL)
        map_set(reader->positions, reader->path.length > 0 ? reader->path.data : "",
                position_pack(node->line, node->column));
    const yaml_event_t *event = &reader->event;
    if (event->type == YAML_ALIAS_EVENT)
        return read_alias(reader, node) && (depth + node->height - 1 <= INPUT_DEPTH_MAX ||
                                            fail_here(reader, "nested deeper than 64"));
    const yaml_char_t *name =
        event->type == YAML_SCALAR_EVENT           ? event->data.scalar.anchor
        : event->type == YAML_MAPPING_START_EVENT  ? event->data.mapping_start.anchor
        : event->type == YAML_SEQUENCE_START_EVENT ? event->data.sequence_start.anchor
                                                   : NULL;
    CLEANUP_FREE char *anchor_name = memory_copy_string((const char *)name);
    bool fine = event->type == YAML_SCALAR_EVENT          ? read_scalar(reader, node)
                : event->type == YAML_MAPPING_START_EVENT ? read_mapping(reader, depth, node)
                                                          : read_sequence(reader, depth, node);
    if (fine && anchor_name != NULL) {
        struct anchor *anchor = memory_allocate(sizeof *anchor);
        *anchor = (struct anchor){json_incref(node->value), node->nodes, node->height};
        struct anchor *before = map_set(reader->anchors, anchor_name, anchor);
        if (before != NULL)
            free_anchor(before);
    }
    return fine;
}

static bool read_alias(struct reader *reader, struct node *node)
{
    const char *name = (const char *)reader->event.data.alias.anchor;
    const struct anchor *anchor = map_get(reader->anchors, name);
    if (anchor == NULL)
        return fail_at(reader, node->line, node->column,
                       "*%.100s names no anchor that is complete before it", name);
    node->value = json_incref(anchor->value);
    node->nodes = anchor->nodes;
    node->height = anchor->height;
    return true;
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
    return true;
}

// Adds a child's size and height to its parent's.
static bool count_child(struct reader *reader, struct node *parent, const struct node *child)
{
    parent->nodes += child->nodes;
    if (child->height + 1 > parent->height)
        parent->height = child->height + 1;
    return parent->nodes <= INPUT_NODES_MAX ||
           fail_at(reader, child->line, child->column, "more than %d values after aliases",
                   INPUT_NODES_MAX);
}

static void path_truncate(struct text *path, size_t length)
{
    path->length = length;
    if (path->data != NULL)
        path->data[length] = '\0';
}

static bool read_sequence(struct reader *reader, int depth, struct node *node)
{
    node->value = json_array();
    size_t path_length = reader->path.length;
    for (;;) {
        if (!next_event(reader))
            break;
        if (reader->event.type == YAML_SEQUENCE_END_EVENT)
            return true;
        path_add_index(&reader->path, json_array_size(node->value));
        struct node item = {0};
        bool fine = read_node(reader, depth + 1, &item) && count_child(reader, node, &item);
        path_truncate(&reader->path, path_length);
        if (!fine) {
            json_decref(item.value);
            break;
        }
        json_array_append_new(node->value, item.value);
    }
    return false;
}

// --- mappings ------------------------------------------------------------------------------------
struct mapping {
    struct node *node;
    struct map *lines; // key -> position: for duplicates
    json_t *merges;    // array of mappings, in order
};

// JSON's keys are strings: numbers and booleans become their text.
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

static bool note_key(struct reader *reader, struct mapping *mapping, const char *name,
                     const struct node *key)
{
    void *before = map_set(mapping->lines, name, position_pack(key->line, key->column));
    if (before == NULL)
        return true;
    reader->duplicate_key = true;
    return fail_at(reader, key->line, key->column,
                   "the key \"%.200s\" stands twice in one mapping, on lines %" PRIu32
                   " and %" PRIu32,
                   name, position_line(before), key->line);
}

static bool add_merge(struct reader *reader, struct mapping *mapping, const struct node *value)
{
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

// One key with its value; the current event begins the key.
static bool read_entry(struct reader *reader, int depth, struct mapping *mapping)
{
    struct map *positions = reader->positions;
    struct node key = {0}, value = {0};
    reader->positions = NULL; // keys have no position of their own
    bool fine = read_node(reader, depth + 1, &key);
    reader->positions = positions;
    CLEANUP_FREE char *name = fine ? key_text(reader, &key) : NULL;
    json_decref(key.value);
    if (name == NULL || !count_child(reader, mapping->node, &key))
        return false;
    if (!key.plain_merge && !note_key(reader, mapping, name, &key))
        return false;
    size_t path_length = reader->path.length;
    path_add_name(&reader->path, name);
    fine = next_event(reader) && read_node(reader, depth + 1, &value) &&
           count_child(reader, mapping->node, &value);
    path_truncate(&reader->path, path_length);
    if (fine && key.plain_merge)
        fine = add_merge(reader, mapping, &value);
    else if (fine)
        json_object_set(mapping->node->value, name, value.value);
    json_decref(value.value);
    return fine;
}

static bool read_mapping(struct reader *reader, int depth, struct node *node)
{
    struct mapping mapping = {.node = node, .lines = map_create(), .merges = json_array()};
    node->value = json_object();
    bool fine;
    while ((fine = next_event(reader)) && reader->event.type != YAML_MAPPING_END_EVENT)
        if (!(fine = read_entry(reader, depth, &mapping)))
            break;
    size_t index;
    json_t *merge;
    if (fine)
        json_array_foreach (mapping.merges, index, merge)
            json_object_update_missing(node->value, merge); // what is there already wins
    json_decref(mapping.merges);
    map_destroy(mapping.lines, NULL);
    return fine;
}
