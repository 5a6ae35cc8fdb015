#include "cli/convert/sources.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/convert/document_parts.h"
#include "cli/convert/document_text.h"
#include "cli/convert/indentation.h"
#include "cli/convert/tree.h"
#include "model/manifest/input.h"
#include "model/manifest/input_texts.h"
#include "model/manifest/yaml_hint.h"

struct reading { // of one file
    struct conversion *conversion;
    struct input_text *file;
    uint32_t documents;
    bool fine;
    bool is_extracted; // out of a text of another kind
};
struct attempt { // to read a document
    struct text text;
    struct documents documents;
    struct error error;
};

// --- one document --------------------------------------------------------------------------------
static bool attempt_read(struct attempt *attempt, const char *text, size_t length, const char *file)
{
    documents_free(&attempt->documents);
    attempt->documents = (struct documents){0};
    attempt->error = (struct error){0};
    return documents_read_text(&attempt->documents, text, length, file, false, &attempt->error);
}

static bool has_indented_line(const char *text, size_t length)
{
    return memmem(text, length, "\n ", 2) != NULL || memmem(text, length, "\n\t", 2) != NULL;
}

// A document without indentation can still be YAML: "metadata:" with nothing in it.
static bool has_lost_indentation(const struct documents *documents)
{
    if (documents->count != 1)
        return false;
    const json_t *value = documents->items[0].value;
    return json_is_object(value) && json_is_string(json_object_get(value, "kind")) &&
           json_object_size(value) > 4 &&
           (json_is_null(json_object_get(value, "metadata")) ||
            json_is_null(json_object_get(value, "spec")));
}

static bool has_typographic_value(const json_t *value)
{
    const char *key;
    json_t *member;
    size_t index;
    if (json_is_object(value)) {
        json_object_foreach ((json_t *)value, key, member)
            if (has_typographic_value(member))
                return true;
    } else if (json_is_array(value)) {
        json_array_foreach (value, index, member)
            if (has_typographic_value(member))
                return true;
    }
    const char *text = json_string_value(value);
    return text != NULL &&
           (text_starts_with(text, "\xE2\x80\x9C") || text_starts_with(text, "\xE2\x80\x98") ||
            text_starts_with(text, "\xE2\x80\x9D"));
}

static bool any_typographic_value(const struct documents *documents)
{
    for (uint32_t i = 0; i < documents->count; i++)
        if (has_typographic_value(documents->items[i].value))
            return true;
    return false;
}

// Replaces the attempt's text by the mended one.
static void take_text(struct attempt *attempt, struct text *mended)
{
    text_free(&attempt->text);
    attempt->text = *mended;
    *mended = (struct text){0};
}

static bool restore_indentation(struct attempt *attempt, const char *file)
{
    struct text restored = {0};
    struct attempt again = {0};
    bool fine = indentation_restore(attempt->text.data, attempt->text.length, &restored) &&
                attempt_read(&again, restored.data, restored.length, file);
    if (fine) {
        documents_free(&attempt->documents);
        attempt->documents = again.documents;
        take_text(attempt, &restored);
    } else {
        documents_free(&again.documents);
    }
    text_free(&restored);
    return fine;
}

// False: there was nothing to mend, or it cannot be read all the same; what was mended stays so.
static bool reads_when_mended(struct attempt *attempt, const char *file,
                              bool (*mend)(const char *text, size_t length, struct text *out))
{
    struct text mended = {0};
    bool fine = false;
    if (mend(attempt->text.data, attempt->text.length, &mended)) {
        take_text(attempt, &mended);
        fine = attempt_read(attempt, attempt->text.data, attempt->text.length, file) &&
               !has_lost_indentation(&attempt->documents);
    }
    text_free(&mended);
    return fine;
}

// Quotes, then ellipses, then variables in braces, then indentation. False: it cannot be read in
// any way.
static bool mend_and_read(struct attempt *attempt, const char *file)
{
    if (reads_when_mended(attempt, file, text_mend_typography) ||
        reads_when_mended(attempt, file, text_drop_ellipses))
        return true;
    bool twice = strstr(attempt->error.message, "stands twice") != NULL;
    return reads_when_mended(attempt, file, text_readable_variables) ||
           ((!twice || !has_indented_line(attempt->text.data, attempt->text.length)) &&
            restore_indentation(attempt, file));
}

// The error of the document as it was, with its line in the file.
static const char *first_error(const struct reading *reading, const struct raw_document *raw)
{
    struct text padded = {0};
    struct attempt attempt = {0};
    for (uint32_t i = 1; i < raw->line; i++)
        text_add_char(&padded, '\n');
    text_add_bytes(&padded, raw->text, raw->length);
    bool fine = attempt_read(&attempt, padded.data, padded.length, reading->file->name);
    const char *message = arena_copy_string(
        reading->conversion->arena, fine ? "the document cannot be mended" : attempt.error.message);
    documents_free(&attempt.documents);
    text_free(&padded);
    return message;
}

// A guide shows parts of objects, too.
static void pass_over(const struct reading *reading, const struct raw_document *raw)
{
    fprintf(stderr, "adze: %s:%" PRIu32 ": a part of an object, without kind: passed over\n",
            reading->file->name, raw->line);
}

static void report(struct reading *reading, const struct raw_document *raw)
{
    struct arena *arena = reading->conversion->arena;
    const struct input_text *file = reading->file;
    if (reading->is_extracted && memmem(raw->text, raw->length, "apiVersion", 10) == NULL) {
        pass_over(reading, raw);
        return;
    }
    const char *language =
        reading->is_extracted ? NULL : yaml_other_language(file->text, file->length);
    const char *template = text_template(raw->text, raw->length);
    const char *message =
        language != NULL
            ? arena_format(arena, "%s: this is %s, with no manifest in a here-document or fence",
                           file->name, language)
        : template != NULL
            ? arena_format(arena, "%s:%u: this is a %s template: render it first, %s", file->name,
                           raw->line, template,
                           template[0] == 'H' ? "with `helm template CHART | adze convert -`"
                                              : "as templatefile() does")
            : first_error(reading, raw);
    vector_push(&reading->conversion->errors, message);
    reading->fine = false;
    reading->file->is_whole = false;
}

static void add_source(struct reading *reading, const struct raw_document *raw, json_t *value,
                       uint32_t siblings, bool is_mended)
{
    struct source *source = memory_allocate(sizeof *source);
    *source = (struct source){.conversion = reading->conversion,
                              .file = reading->file->name,
                              .input = reading->file,
                              .document = reading->documents++,
                              .line = raw->line,
                              .raw = raw->text,
                              .raw_length = raw->length,
                              .siblings = siblings,
                              .is_mended = is_mended,
                              .value = value};
    vector_push(&reading->conversion->sources, source);
}

static bool is_manifest(const json_t *value)
{
    return json_is_string(json_object_get(value, "kind")) ||
           json_object_get(value, "autoDiscovery") != NULL;
}

static void read_document(struct reading *reading, const struct raw_document *raw)
{
    struct attempt attempt = {0};
    const char *file = reading->file->name;
    bool is_mended =
        text_fill_variables(raw->text, raw->length, &reading->conversion->options, &attempt.text);
    bool fine = attempt_read(&attempt, attempt.text.data, attempt.text.length, file);
    bool lost = fine && has_lost_indentation(&attempt.documents);
    if (!fine || lost || any_typographic_value(&attempt.documents)) {
        struct text before = {0};
        text_add_bytes(&before, attempt.text.data, attempt.text.length);
        bool mended = mend_and_read(&attempt, file);
        if (!mended && lost) // it stays what it was
            mended = attempt_read(&attempt, before.data, before.length, file);
        else if (mended)
            is_mended = true;
        fine = mended;
        text_free(&before);
    }
    if (!fine)
        report(reading, raw);
    for (uint32_t i = 0; fine && i < attempt.documents.count; i++) {
        json_t *value = attempt.documents.items[i].value;
        if (reading->is_extracted && !is_manifest(value))
            pass_over(reading, raw);
        else
            add_source(reading, raw, value != NULL ? json_deep_copy(value) : NULL,
                       i == 0 ? attempt.documents.count : 0, is_mended);
    }
    documents_free(&attempt.documents);
    text_free(&attempt.text);
}

// --- one file ------------------------------------------------------------------------------------
static void read_all(struct reading *reading, const struct raw_documents *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        read_document(reading, &list->items[i]);
}

// Forgets what was read of the file, for another way to read it.
static void take_back(struct reading *reading, uint32_t sources, uint32_t errors)
{
    struct conversion *conversion = reading->conversion;
    while (conversion->sources.count > sources) {
        struct source *source = conversion->sources.items[--conversion->sources.count];
        json_decref(source->value);
        free(source);
    }
    conversion->errors.count = errors;
    reading->documents = 0;
    reading->file->is_whole = false;
}

// YAML that holds manifests in texts, such as the scripts of a workflow, has none itself.
static bool any_manifest(const struct conversion *conversion, uint32_t from)
{
    for (uint32_t i = from; i < conversion->sources.count; i++)
        if (is_manifest(conversion->sources.items[i]->value))
            return true;
    return false;
}

static void read_text(struct conversion *conversion, const char *name, const struct text *text)
{
    struct input_text *file = arena_allocate(conversion->arena, sizeof *file);
    *file = (struct input_text){
        .name = arena_copy_string(conversion->arena, name),
        .text = arena_copy_bytes(conversion->arena, text_or_empty(text->data), text->length),
        .length = text->length,
        .is_whole = true};
    struct reading reading = {.conversion = conversion, .file = file, .fine = true};
    struct raw_documents list = {0}, parts = {0};
    uint32_t sources = conversion->sources.count, errors = conversion->errors.count;
    documents_split(file->text, file->length, &list);
    read_all(&reading, &list);
    if ((!reading.fine || !any_manifest(conversion, sources)) &&
        documents_extract(file->text, file->length, &parts)) {
        take_back(&reading, sources, errors);
        reading.is_extracted = true;
        read_all(&reading, &parts);
    } else if (!reading.fine && yaml_other_language(file->text, file->length) != NULL) {
        take_back(&reading, sources, errors + 1); // the beginning of a page may be YAML
    }
    vector_free(&list);
    vector_free(&parts);
}

static bool receive(void *context, const char *name, const struct text *text, struct error *error)
{
    (void)error;
    read_text(context, name, text);
    return true;
}

static void skip(void *context, const char *path, const char *oddity)
{
    (void)context;
    fprintf(stderr, "adze: %s: this is %s and is passed over\n", path, oddity);
}

bool sources_read(struct conversion *conversion, const char *path, struct error *error)
{
    return input_texts_read(path, &(struct input_receiver){receive, skip, conversion}, error);
}
