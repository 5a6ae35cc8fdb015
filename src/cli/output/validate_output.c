#include "cli/output/validate_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vector.h"
#include "cli/output/terminal.h"
#include "model/schema/decode.h"
#include "model/schema/drift_hash.h"
#include "model/schema/ec2_node_class.h"

static const char *level_name(enum finding_level level)
{
    static const char *const names[] = {"refused", "rejected", "warning"};
    return names[level];
}

// --- order ---------------------------------------------------------------------------------------
struct placed {
    struct finding finding;
    uint32_t line, position;
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed *one = a, *other = b;
    if (one->line != other->line)
        return one->line < other->line ? -1 : 1;
    const char *code = one->finding.code != NULL ? one->finding.code : "";
    int order = strcmp(code, other->finding.code != NULL ? other->finding.code : "");
    if (order != 0)
        return order;
    return one->position < other->position ? -1 : one->position > other->position;
}

void validate_result_sort(struct validate_result *result)
{
    uint32_t count = result->findings.count;
    struct placed *placed = memory_allocate_array(count + 1, sizeof *placed);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t column;
        placed[i].finding = result->findings.items[i];
        placed[i].position = i;
        document_position(result->document, placed[i].finding.path, &placed[i].line, &column);
    }
    qsort(placed, count, sizeof *placed, compare_placed);
    for (uint32_t i = 0; i < count; i++)
        result->findings.items[i] = placed[i].finding;
    free(placed);
}

// --- text ----------------------------------------------------------------------------------------
// A message about a value with line feeds stays one line.
static void print_line(const char *text)
{
    struct text line = {0};
    terminal_add_line(&line, text);
    printf("%s\n", line.data != NULL ? line.data : "");
    text_free(&line);
}

static void print_place(const char *file, uint32_t line, uint32_t column)
{
    struct text text = {0};
    terminal_add_line(&text, file);
    printf("%s:%u:%u: ", text.data, line, column);
    text_free(&text);
}

static void print_finding(const struct validate_result *result, const struct finding *finding)
{
    uint32_t line, column;
    struct text text = {0};
    document_position(result->document, finding->path, &line, &column);
    print_place(result->document->file, line, column);
    terminal_print(stdout, finding->level == FINDING_WARNING ? IN_YELLOW : IN_RED,
                   level_name(finding->level));
    text_add(&text, ": ");
    if (result->kind != NULL)
        text_format(&text, "%.300s/%.300s%s%.300s ", result->kind,
                    result->namespace != NULL ? result->namespace : "",
                    result->namespace != NULL ? "/" : "", result->name != NULL ? result->name : "");
    if (finding->path[0] != '\0')
        text_format(&text, "%s: ", finding->path);
    text_add(&text, finding->message);
    if (finding->code != NULL)
        text_format(&text, " (%s)", finding->code);
    print_line(text.data);
    text_free(&text);
    if (finding->hint != NULL)
        printf("  hint: %s\n", finding->hint);
}

static bool is_checked(const struct validate_result *result)
{
    return result->stored != NULL || result->findings.count > 0 ||
           (result->known != NULL && (result->known->id == KIND_INSTANCE_TYPE_CATALOG ||
                                      result->known->id == KIND_SNAPSHOT_CONTEXT));
}

void validate_print_text(const struct validate_result *results, uint32_t count,
                         const struct validate_file_errors *file_errors)
{
    uint32_t checked = 0, skipped = 0, errors = file_errors->count, warnings = 0;
    for (uint32_t i = 0; i < file_errors->count; i++)
        print_line(file_errors->items[i]);
    for (uint32_t i = 0; i < count; i++) {
        const struct validate_result *result = &results[i];
        checked += is_checked(result);
        skipped += !is_checked(result);
        for (uint32_t k = 0; k < result->findings.count; k++) {
            const struct finding *finding = &result->findings.items[k];
            if (findings_follow(&result->findings, k))
                continue;
            print_finding(result, finding);
            warnings += finding->level == FINDING_WARNING;
            errors += finding->level != FINDING_WARNING;
        }
    }
    printf("%u object%s, %u error%s, %u warning%s", checked, checked == 1 ? "" : "s", errors,
           errors == 1 ? "" : "s", warnings, warnings == 1 ? "" : "s");
    if (skipped > 0)
        printf(" (%u other%s skipped)", skipped, skipped == 1 ? "" : "s");
    putchar('\n');
}

// --- JSON and YAML -------------------------------------------------------------------------------
static void set_text(json_t *object, const char *key, const char *text)
{
    if (text != NULL)
        json_object_set_new(object, key, json_string(text));
}

static json_t *finding_json(const struct validate_result *result, const struct finding *finding)
{
    json_t *object = json_object();
    uint32_t line, column;
    document_position(result->document, finding->path, &line, &column);
    set_text(object, "level", level_name(finding->level));
    set_text(object, "code", finding->code);
    set_text(object, "path", finding->path);
    json_object_set_new(object, "line", json_integer(line));
    json_object_set_new(object, "column", json_integer(column));
    set_text(object, "message", finding->message);
    set_text(object, "hint", finding->hint);
    set_text(object, "rule", finding->rule);
    return object;
}

// The hash that the controller would write into the object's annotations. A refused object has met
// no API server that fills in defaults: it is hashed as it is.
static void add_hash(json_t *object, const struct validate_result *result, const char *ca_bundle)
{
    struct error error = {0};
    char hash[24];
    bool is_pool = result->known->id == KIND_NODE_POOL;
    if (!is_pool && result->known->id != KIND_EC2_NODE_CLASS)
        return;
    CLEANUP_OBJECT struct object *decoded =
        object_decode(result->stored, result->known, DECODE_LENIENT, &error);
    if (decoded == NULL)
        return;
    if (is_pool) {
        node_pool_hash((const struct node_pool *)decoded, hash);
    } else {
        struct ec2_node_class *node_class = (struct ec2_node_class *)decoded;
        const json_t *given = json_object_get(result->document->value, "spec");
        if (findings_refuse(&result->findings) && json_object_get(given, "metadataOptions") == NULL)
            node_class->spec.metadata_options = NULL;
        ec2_node_class_hash(node_class, ca_bundle, hash);
    }
    set_text(object, "driftHash", hash);
    set_text(object, "driftHashVersion",
             is_pool ? NODE_POOL_HASH_VERSION : EC2_NODE_CLASS_HASH_VERSION);
}

static json_t *result_json(const struct validate_result *result, const char *ca_bundle)
{
    json_t *object = json_object(), *errors = json_array(), *warnings = json_array();
    set_text(object, "file", result->document->file);
    json_object_set_new(object, "document", json_integer(result->document->index));
    set_text(object, "kind", result->kind);
    set_text(object, "namespace", result->namespace);
    set_text(object, "name", result->name);
    for (uint32_t i = 0; i < result->findings.count; i++) {
        const struct finding *finding = &result->findings.items[i];
        json_array_append_new(finding->level == FINDING_WARNING ? warnings : errors,
                              finding_json(result, finding));
    }
    json_object_set_new(object, "errors", errors);
    json_object_set_new(object, "warnings", warnings);
    if (!is_checked(result))
        json_object_set_new(object, "skipped", json_true());
    if (result->stored != NULL)
        add_hash(object, result, ca_bundle);
    if (result->stored != NULL && !findings_refuse(&result->findings))
        json_object_set(object, "stored", result->stored);
    return object;
}

json_t *validate_encode(const struct validate_result *results, uint32_t count,
                        const struct validate_file_errors *file_errors, const char *ca_bundle)
{
    json_t *objects = json_array(), *root = json_object(), *files = json_array();
    for (uint32_t i = 0; i < file_errors->count; i++)
        json_array_append_new(files, json_pack("{s:s}", "message", file_errors->items[i]));
    for (uint32_t i = 0; i < count; i++)
        if (results[i].document->value != NULL)
            json_array_append_new(objects, result_json(&results[i], ca_bundle));
    json_object_set_new(root, "objects", objects);
    if (json_array_size(files) > 0)
        json_object_set(root, "files", files);
    json_decref(files);
    return root;
}
