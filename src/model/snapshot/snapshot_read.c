#include "model/snapshot/snapshot_read.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/vector.h"
#include "model/manifest/input.h"
#include "model/manifest/input_texts.h"
#include "model/reading/catalog.h"
#include "model/reading/settings_read.h"
#include "model/schema/decode.h"
#include "model/schema/pack.h"
#include "model/tables/kinds.h"

struct reading {
    struct snapshot *snapshot;
    bool strict;
    const struct snapshot_examiner *examiner; // NULL: none
    const char *path;                         // a file or folder; NULL: neither
};

static bool add_documents(const struct reading *reading, const struct documents *documents,
                          const char *text, size_t length, struct error *error);

static bool read_text(const struct reading *reading, const char *text, size_t length,
                      const char *source_name, struct error *error)
{
    struct documents documents = {0};
    bool fine = documents_read_text(&documents, text, length, source_name, false, error) &&
                add_documents(reading, &documents, text, length, error);
    documents_free(&documents);
    return fine;
}

// Kept, since locating an error reads the text again.
static bool read_standard_input(const struct reading *reading, struct error *error)
{
    struct text text = {0};
    bool fine = standard_input_read(&text, error) &&
                read_text(reading, text_or_empty(text.data), text.length, "-", error);
    text_free(&text);
    return fine;
}

bool snapshot_read(struct snapshot *snapshot, const char *path, bool strict, struct error *error)
{
    return snapshot_read_examined(snapshot, path, strict, NULL, error);
}

bool snapshot_read_examined(struct snapshot *snapshot, const char *path, bool strict,
                            const struct snapshot_examiner *examiner, struct error *error)
{
    assert(path != NULL);
    const struct reading reading = {snapshot, strict, examiner, path};
    if (strcmp(path, "-") == 0)
        return read_standard_input(&reading, error);
    struct documents documents = {0};
    bool fine = documents_read(&documents, path, false, error) &&
                add_documents(&reading, &documents, NULL, 0, error);
    for (uint32_t i = 0; i < documents.skipped.count; i++)
        vector_push(&snapshot->skipped,
                    arena_copy_string(snapshot->arena, documents.skipped.items[i]));
    documents_free(&documents);
    return fine;
}

bool snapshot_read_text(struct snapshot *snapshot, const char *text, size_t length,
                        const char *source_name, bool strict, struct error *error)
{
    return read_text(&(struct reading){.snapshot = snapshot, .strict = strict}, text, length,
                     source_name, error);
}

static struct string_list copy_names(struct arena *arena, const struct string_list *names)
{
    struct string_list copy = {arena_allocate_array(arena, names->count + 1, sizeof *copy.items),
                               names->count};
    for (uint32_t i = 0; i < names->count; i++)
        copy.items[i] = arena_copy_string(arena, names->items[i]);
    return copy;
}

// FMT-9. A later context replaces an earlier one.
static bool apply_context(struct snapshot *snapshot, const struct snapshot_context *context,
                          struct error *error)
{
    struct arena *arena = snapshot->arena;
    snapshot->has_context = true;
    if (context->spec.time != 0)
        snapshot->time = context->spec.time;
    snapshot->require_unschedulable_condition |= context->spec.require_unschedulable;
    for (uint32_t i = 0; i < context->spec.settings.count; i++) {
        const struct string_pair *pair = &context->spec.settings.items[i];
        bool is_learned = string_list_has(&context->spec.learned, pair->key);
        if (!(is_learned ? settings_learn : settings_set)(&snapshot->settings, pair->key,
                                                          pair->value, error)) {
            error->kind = ERROR_INVALID;
            return error_locate(error, "spec.settings");
        }
    }
    snapshot->marked_for_deletion = copy_names(arena, &context->spec.marked_for_deletion);
    snapshot->buffer_nodes = copy_names(arena, &context->spec.buffer_nodes);
    const struct string_map *nominated = &context->spec.nominated;
    snapshot->nominated.count = nominated->count;
    snapshot->nominated.items =
        arena_allocate_array(arena, nominated->count + 1, sizeof *snapshot->nominated.items);
    for (uint32_t i = 0; i < nominated->count; i++) {
        struct nomination *nomination = &snapshot->nominated.items[i];
        nomination->node = arena_copy_string(arena, nominated->items[i].key);
        if (!instant_parse(nominated->items[i].value, &nomination->until, error))
            return error_locate(error, "spec.nominated[\"%s\"]", nomination->node);
    }
    return true;
}

static bool add_object(struct snapshot *snapshot, const struct object *object, struct error *error)
{
    if (object->kind->id == KIND_SNAPSHOT_CONTEXT)
        return apply_context(snapshot, (const struct snapshot_context *)object, error);
    // snapshot_complete() checks the names, once it knows whether recordings of upstream are
    // trusted.
    if (object->kind->id == KIND_INSTANCE_TYPE_CATALOG &&
        !instance_type_catalog_check_values((const struct instance_type_catalog *)object, error))
        return false;
    snapshot_add(snapshot, object);
    return true;
}

// "; did you mean NodePool?", or what turns an older kind into one of today.
static void add_hint(struct text *text, const char *kind, const char *api_version)
{
    const char *names[KIND_COUNT], *nearest[1];
    uint32_t count = 0;
    const char *instead = strcmp(kind, "Provisioner") == 0       ? "a NodePool"
                          : strcmp(kind, "AWSNodeTemplate") == 0 ? "an EC2NodeClass"
                                                                 : NULL;
    if (instead != NULL) {
        text_format(text, ": `adze convert` turns it into %s", instead);
        return;
    }
    size_t group_length = strcspn(api_version, "/");
    for (int i = 0; i < KIND_COUNT; i++) {
        const struct kind *known = kind_get((enum kind_id)i);
        if (strlen(known->group) == group_length &&
            memcmp(known->group, api_version, group_length) == 0)
            names[count++] = known->name;
    }
    if (count > 0 && text_nearest(kind, names, count, nearest, 1) == 1)
        text_format(text, "; did you mean %s?", nearest[0]);
}

static bool refuse_unknown_kind(const json_t *document, struct error *error)
{
    const char *api_version = json_string_value(json_object_get(document, "apiVersion"));
    const char *kind = json_string_value(json_object_get(document, "kind"));
    if (api_version == NULL || kind == NULL) {
        error_set(error, ERROR_INVALID, "missing: this is no Kubernetes object");
        return error_locate(error, kind == NULL ? "kind" : "apiVersion");
    }
    for (int i = 0; i < KIND_COUNT; i++) {
        const struct kind *known = kind_get((enum kind_id)i);
        if (strcmp(known->name, kind) != 0)
            continue;
        bool old =
            strstr(api_version, "/v1alpha") != NULL || strstr(api_version, "/v1beta") != NULL;
        error_set(error, ERROR_INVALID, "%s is read as %s, not as %.100s%s", kind,
                  known->api_version, api_version,
                  old && text_starts_with(api_version, "karpenter.")
                      ? ": `adze convert` turns older versions into it"
                      : "");
        return error_locate(error, "apiVersion");
    }
    struct text hint = {0};
    add_hint(&hint, kind, api_version);
    error_set(error, ERROR_INVALID, "%.100s of %.100s is not a kind that adze reads%s", kind,
              api_version, text_or_empty(hint.data));
    text_free(&hint);
    return error_locate(error, "kind");
}

// Unknown kinds of other groups are allowed; a misspelt kind or an old version in Karpenter's or
// adze's groups is not.
static bool must_be_known(const char *api_version, const char *kind)
{
    if (api_version == NULL || kind == NULL)
        return true;
    return (strchr(api_version, '/') == NULL && kind_is_custom(kind)) ||
           text_starts_with(api_version, "karpenter.") || text_starts_with(api_version, "adze/");
}

// Refuses a List whose items are not a list. An empty one may omit them or, as Go writes it, have
// null.
static bool check_items(const json_t *document, const char *kind, struct error *error)
{
    const json_t *items = json_object_get(document, "items");
    if (kind == NULL || !text_ends_with(kind, "List") || items == NULL || json_is_null(items))
        return true;
    error_set(error, ERROR_INVALID, "expected a list");
    return error_locate(error, "items");
}

static bool check_name(const struct object *object, struct error *error)
{
    const struct object_meta *meta = &object->meta;
    bool is_ours = text_starts_with(object->kind->api_version, "adze/"); // named by kind and name
    if (is_ours || (meta->name != NULL && meta->name[0] != '\0'))
        return true;
    error_set(error, ERROR_INVALID, "missing%s",
              meta->generate_name == NULL
                  ? ""
                  : ": generateName is filled in by an API server, write a name here");
    return error_locate(error, "metadata.name");
}

static bool examine(const struct snapshot_examiner *examiner, const struct object *object,
                    const json_t *document, struct error *error)
{
    return examiner == NULL || examiner->examine == NULL ||
           examiner->examine(examiner->context, object, document, error);
}

static bool skip(const struct reading *reading, const json_t *document, bool must_be_known,
                 struct error *error)
{
    const struct snapshot_examiner *examiner = reading->examiner;
    bool asks = examiner != NULL && examiner->skip != NULL;
    if (must_be_known || (reading->strict && !asks))
        return refuse_unknown_kind(document, error);
    return !asks || examiner->skip(examiner->skip_context, document, error);
}

static bool add_document(const struct reading *reading, const json_t *document, struct error *error)
{
    if (!json_is_object(document))
        return error_set(error, ERROR_INVALID, "not an object, as every manifest is");
    const char *api_version = json_string_value(json_object_get(document, "apiVersion"));
    const char *name = json_string_value(json_object_get(document, "kind"));
    const struct kind *kind =
        api_version != NULL && name != NULL ? kind_find(api_version, name) : NULL;
    if (kind == NULL && !check_items(document, name, error))
        return false;
    if (kind == NULL)
        return skip(reading, document, must_be_known(api_version, name), error);
    CLEANUP_OBJECT struct object *object =
        object_decode(document, kind, reading->strict ? DECODE_STRICT : DECODE_LENIENT, error);
    return object != NULL && check_name(object, error) &&
           examine(reading->examiner, object, document, error) &&
           add_object(reading->snapshot, object, error);
}

// Puts file, line and document before the message. Reads the source again with positions to find
// the line, so that the common case without errors does not pay for them.
static bool locate(const struct documents *documents, uint32_t at, const char *text, size_t length,
                   struct error *error)
{
    assert(at < documents->count);
    const struct document *document = &documents->items[at];
    uint32_t ordinal = at, line = document->line, column = 1;
    while (ordinal > 0 && documents->items[ordinal - 1].file == document->file)
        ordinal--;
    ordinal = at - ordinal;
    assert(error->kind != ERROR_NONE);
    struct error why = *error, ignored = {0};
    struct documents again = {0};
    bool is_read = text != NULL
                       ? documents_read_text(&again, text, length, document->file, true, &ignored)
                       : documents_read(&again, document->file, true, &ignored);
    if (is_read && ordinal < again.count) {
        char path[sizeof why.message];
        snprintf(path, sizeof path, "%.*s", (int)why.path_length, why.message);
        document_position(&again.items[ordinal], path, &line, &column);
    }
    documents_free(&again);
    return error_set(error, why.kind, "%.500s:%u:%u: document %u: %s", document->file, line, column,
                     document->index + 1, why.message);
}

// Folders hold more than manifests: values of charts, settings of tools.
static bool is_passed_over(const struct reading *reading, const struct document *document)
{
    const json_t *value = document->value;
    if (reading->path == NULL || strcmp(reading->path, document->file) == 0 ||
        json_object_get(value, "apiVersion") != NULL || json_object_get(value, "kind") != NULL)
        return false;
    struct snapshot *snapshot = reading->snapshot;
    vector_push(&snapshot->skipped,
                arena_format(snapshot->arena,
                             "%s:%" PRIu32 ": neither apiVersion nor kind: passed over",
                             document->file, document->line));
    return true;
}

static bool add_documents(const struct reading *reading, const struct documents *documents,
                          const char *text, size_t length, struct error *error)
{
    for (uint32_t i = 0; i < documents->count; i++) {
        const json_t *value = documents->items[i].value;
        if (is_passed_over(reading, &documents->items[i]))
            continue;
        if (value != NULL && !add_document(reading, value, error))
            return locate(documents, i, text, length, error);
    }
    return true;
}
