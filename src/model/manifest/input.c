// Texts to documents: choosing the parser, unpacking lists.
#include "model/manifest/input.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "model/manifest/input_texts.h"
#include "model/manifest/input_yaml.h"
#include "model/manifest/manifest_list.h"

#define INPUT_DOCUMENTS_MAX 500000 // of a file or directory, with the items of lists

struct reading {
    struct documents *documents;
    bool with_positions;
};

static bool read_text(void *context, const char *name, const struct text *text, struct error *error)
{
    const struct reading *reading = context;
    return documents_read_text(reading->documents, text_or_empty(text->data), text->length, name,
                               reading->with_positions, error);
}

static void skip(void *context, const char *path, const char *oddity)
{
    struct documents *documents = ((const struct reading *)context)->documents;
    struct text note = {0};
    text_format(&note, "%s: this is %s and is passed over", path, oddity);
    vector_push(&documents->skipped, text_take(&note));
}

bool documents_read(struct documents *documents, const char *path, bool with_positions,
                    struct error *error)
{
    struct reading reading = {documents, with_positions};
    return input_texts_read(path, &(struct input_receiver){read_text, skip, &reading}, error);
}

// --- texts ---------------------------------------------------------------------------------------
struct receiver {
    struct documents *documents;
    const char *file;
    uint32_t index;
    struct positions *positions; // of the text; NULL: not requested
    json_t *parsed; // JSON: the value from jansson; the YAML reader only adds positions
};

static bool add_document(struct documents *documents, struct document document,
                         struct error *error);

static bool receive(void *context, struct yaml_document read, struct error *error)
{
    struct receiver *receiver = context;
    assert(receiver->file != NULL);
    struct document document = {.value = read.value,
                                .file = receiver->file,
                                .index = receiver->index++,
                                .line = read.line,
                                .place = read.place};
    if (receiver->positions != NULL)
        document.positions = positions_retain(receiver->positions);
    if (receiver->parsed != NULL) {
        json_decref(document.value);
        document.value = json_incref(receiver->parsed);
    }
    return add_document(receiver->documents, document, error);
}

static bool is_too_deep(const json_t *value, int depth)
{
    const char *key;
    json_t *member;
    size_t index;
    if (depth > INPUT_DEPTH_MAX)
        return true;
    if (json_is_object(value)) {
        json_object_foreach ((json_t *)value, key, member)
            if (is_too_deep(member, depth + 1))
                return true;
    } else if (json_is_array(value)) {
        json_array_foreach (value, index, member)
            if (is_too_deep(member, depth + 1))
                return true;
    }
    return false;
}

static size_t count_blanks(const char *text, size_t length)
{
    size_t blank = 0;
    while (blank < length && strchr(" \t\r\n", text[blank]) != NULL && text[blank] != '\0')
        blank++;
    return blank;
}

static bool is_blank(const char *text, size_t length)
{
    return count_blanks(text, length) == length;
}

static bool looks_like_json(const char *text, size_t length)
{
    size_t blank = count_blanks(text, length);
    return blank < length && (text[blank] == '{' || text[blank] == '[');
}

// JSON may be indented with tabs, unlike YAML. JSON strings cannot contain raw tabs, so replacing
// tabs changes only the indentation.
static char *without_tabs(const char *text, size_t length)
{
    char *copy = memory_allocate(length + 1);
    for (size_t i = 0; i < length; i++)
        copy[i] = text[i] == '\t' ? ' ' : text[i];
    return copy;
}

static void release_document(struct document *document)
{
    json_decref(document->value);
    positions_release(document->positions);
}

static void drop_documents(struct documents *documents, uint32_t first)
{
    assert(first <= documents->count);
    for (uint32_t i = first; i < documents->count; i++)
        release_document(&documents->items[i]);
    documents->count = first;
}

// Adds a JSON value with the positions that the YAML reader finds in its text. Returns false if it
// finds none.
static bool add_with_positions(struct receiver *receiver, json_t *value, const char *text,
                               size_t length, uint32_t lines_before)
{
    assert(receiver->positions != NULL);
    assert(receiver->parsed == NULL);
    CLEANUP_FREE char *plain = without_tabs(text, length);
    uint64_t bytes = 0; // discarded
    struct yaml_source source = {.text = plain,
                                 .length = length,
                                 .file = receiver->file,
                                 .positions = receiver->positions,
                                 .positions_only = true,
                                 .lines_before = lines_before,
                                 .bytes = &bytes,
                                 .receive = receive,
                                 .context = receiver};
    uint32_t first = receiver->documents->count, index = receiver->index;
    struct error ignored;
    receiver->parsed = value;
    bool is_read = yaml_read(&source, &ignored);
    receiver->parsed = NULL;
    if (is_read && receiver->index == index + 1)
        return true;
    drop_documents(receiver->documents, first);
    receiver->index = index;
    return false;
}

// One value of a text of JSON values.
struct json_part {
    const char *text;
    size_t length;
    uint32_t lines_before;
};

// Owns the value.
static bool add_json(struct receiver *receiver, json_t *value, const struct json_part *part,
                     struct error *error)
{
    bool fine = !is_too_deep(value, 1) ||
                error_set(error, ERROR_INVALID, "%s: document %u: nested deeper than %d",
                          receiver->file, receiver->index + 1, INPUT_DEPTH_MAX);
    if (fine &&
        (receiver->positions == NULL ||
         !add_with_positions(receiver, value, part->text, part->length, part->lines_before)))
        fine = add_document(receiver->documents,
                            (struct document){.value = json_incref(value),
                                              .file = receiver->file,
                                              .index = receiver->index++,
                                              .line = part->lines_before + 1},
                            error);
    json_decref(value);
    return fine;
}

static uint32_t count_lines(const char *text, size_t length)
{
    uint32_t lines = 0;
    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    return lines;
}

static bool refuse_json(const struct receiver *receiver, uint32_t lines_before,
                        const json_error_t *why, struct error *error)
{
    return error_set(error, ERROR_INVALID, "%s:%u:%d: document %u: %s", receiver->file,
                     lines_before + (uint32_t)(why->line > 0 ? why->line : 1),
                     why->column > 0 ? why->column : 1, receiver->index + 1, why->text);
}

// The size that the values of a JSON text will have.
static uint64_t json_bytes(const char *text, size_t length)
{
    uint64_t bytes = length;
    bool in_string = false;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (in_string && c == '\\')
            i++;
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string)
            bytes += c == '{'   ? INPUT_OBJECT_BYTES
                     : c == '[' ? INPUT_ARRAY_BYTES
                     : c == ':' ? INPUT_MEMBER_BYTES
                     : c == ',' ? INPUT_SCALAR_BYTES
                                : 0;
    }
    return bytes;
}

static bool check_json_memory(struct receiver *receiver, const char *text, size_t length,
                              struct error *error)
{
    receiver->documents->bytes += json_bytes(text, length);
    return receiver->documents->bytes <= INPUT_MEMORY_BYTES_MAX ||
           error_set(error, ERROR_INVALID, "%s: the values take more than %u MiB of memory",
                     receiver->file, (unsigned)(INPUT_MEMORY_BYTES_MAX >> 20));
}

// jansson reads large JSON, several values after each other as Kubernetes' clients accept them. The
// YAML reader, whose language contains JSON and which reports lines, handles the rest: errors in
// the first value, other separators, and positions.
static bool read_json(struct receiver *receiver, const char *text, size_t length, bool *is_read,
                      struct error *error)
{
    uint32_t lines = 0;
    uint64_t bytes_before = receiver->documents->bytes;
    *is_read = false;
    if (!check_json_memory(receiver, text, length, error))
        return false;
    for (size_t at = 0; looks_like_json(text + at, length - at);) {
        json_error_t why;
        json_t *value = json_loadb(text + at, length - at,
                                   JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, &why);
        if (value == NULL && !*is_read) {
            receiver->documents->bytes = bytes_before;
            return true;
        }
        if (value == NULL)
            return refuse_json(receiver, lines, &why, error);
        struct json_part part = {text + at, (size_t)why.position, lines};
        at += part.length;
        assert(at <= length);
        assert(part.length > 0);
        if (!*is_read && !is_blank(text + at, length - at) &&
            !looks_like_json(text + at, length - at)) {
            json_decref(value);
            receiver->documents->bytes = bytes_before;
            return true;
        }
        *is_read = true;
        lines += count_lines(part.text, part.length);
        if (!add_json(receiver, value, &part, error))
            return false;
        if (!is_blank(text + at, length - at) && !looks_like_json(text + at, length - at))
            return error_set(error, ERROR_INVALID,
                             "%s:%u:1: document %u: not JSON, as what is "
                             "before it",
                             receiver->file, lines + 1, receiver->index + 1);
    }
    return true;
}

static bool read_yaml(struct receiver *receiver, const char *text, size_t length,
                      struct error *error)
{
    CLEANUP_FREE char *plain = looks_like_json(text, length) ? without_tabs(text, length) : NULL;
    struct yaml_source source = {.text = plain != NULL ? plain : text,
                                 .length = length,
                                 .file = receiver->file,
                                 .positions = receiver->positions,
                                 .bytes = &receiver->documents->bytes,
                                 .receive = receive,
                                 .context = receiver};
    return yaml_read(&source, error);
}

bool documents_read_text(struct documents *documents, const char *text, size_t length,
                         const char *file, bool with_positions, struct error *error)
{
    assert(text != NULL);
    assert(file != NULL);
    if (length > INPUT_FILE_BYTES_MAX)
        return error_set(error, ERROR_INVALID, "%s: larger than %u MiB", file,
                         INPUT_FILE_BYTES_MAX >> 20);
    if (documents->arena == NULL)
        documents->arena = arena_create(4096);
    uint32_t first = documents->count;
    struct receiver receiver = {.documents = documents,
                                .file = arena_copy_string(documents->arena, file),
                                .positions = with_positions ? positions_create() : NULL};
    bool is_read = false;
    bool fine =
        !looks_like_json(text, length) || read_json(&receiver, text, length, &is_read, error);
    if (fine && !is_read)
        fine = read_yaml(&receiver, text, length, error);
    positions_release(receiver.positions);
    if (!fine)
        drop_documents(documents, first);
    return fine;
}

void documents_free(struct documents *documents)
{
    for (uint32_t i = 0; i < documents->skipped.count; i++)
        free(documents->skipped.items[i]);
    vector_free(&documents->skipped);
    drop_documents(documents, 0);
    free(documents->items);
    arena_destroy(documents->arena);
    *documents = (struct documents){0};
}

// --- lists ---------------------------------------------------------------------------------------
static bool push_document(struct documents *documents, struct document document,
                          struct error *error)
{
    if (documents->count < INPUT_DOCUMENTS_MAX) {
        vector_push(documents, document);
        return true;
    }
    release_document(&document);
    return error_set(error, ERROR_INVALID, "%s: more than %d objects", document.file,
                     INPUT_DOCUMENTS_MAX);
}

static struct document item_of(const struct document *list, size_t index, json_t *value)
{
    struct document item = *list;
    item.value = json_incref(value);
    if (list->positions == NULL)
        return item;
    char path[40];
    snprintf(path, sizeof path, "items[%zu]", index);
    item.positions = positions_retain(list->positions);
    item.place = positions_find(item.positions, list->place, path);
    uint32_t column;
    positions_get(item.positions, item.place, &item.line, &column);
    return item;
}

// Takes over the document's contents.
static bool add_document(struct documents *documents, struct document document, struct error *error)
{
    const json_t *items = manifest_list_items(document.value);
    if (items == NULL)
        return push_document(documents, document, error);
    bool fine = true;
    size_t index;
    json_t *value;
    json_array_foreach (items, index, value) {
        manifest_list_name_item(document.value, value);
        if (!(fine = push_document(documents, item_of(&document, index, value), error)))
            break;
    }
    release_document(&document);
    return fine;
}

// --- positions -----------------------------------------------------------------------------------
void document_position(const struct document *document, const char *path, uint32_t *line,
                       uint32_t *column)
{
    assert(path != NULL);
    *line = document->line;
    *column = 1;
    if (document->positions != NULL)
        positions_get(document->positions,
                      positions_find(document->positions, document->place, path), line, column);
}
