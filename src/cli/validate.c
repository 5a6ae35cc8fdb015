// adze validate: checks manifests offline, with the rules of the CRDs and of the controller.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/input_file.h"
#include "base/map.h"
#include "base/vector.h"
#include "cli/input/command.h"
#include "cli/input/options.h"
#include "cli/input/settings_file.h"
#include "cli/input/unknown_kind.h"
#include "cli/output/document.h"
#include "cli/output/validate_output.h"
#include "cloud/providers.h"
#include "model/reading/catalog.h"
#include "model/reading/settings_read.h"
#include "model/schema/decode.h"
#include "model/tables/kinds.h"
#include "model/validate/validate_catalog.h"
#include "model/validate/validate_context.h"
#include "model/validate/validate_settings.h"

#define FINDINGS_TOLD_MAX 100000

struct request {
    struct validate_options options;
    struct file_options input;
    const char *ca_bundle, *old_file, *catalog_file, *settings_file;
    struct settings settings; // of the file
    bool warnings_as_errors;
    struct documents documents, old_documents, catalog_documents;
    struct catalog_facts *catalog;           // NULL: none was given
    struct map *old_by_name;                 // struct document
    struct validate_file_errors file_errors; // files that are no YAML
    int unreadable_status;                   // the exit code for unreadable files; 0: none
};

static bool read_arguments(int argc, char **argv, struct request *request, int *status);
static bool read_old(struct request *request);
static bool read_catalog(struct request *request);
static bool read_settings(struct request *request);
static void read_files(struct request *request);
static void check_document(struct request *request, const struct document *document,
                           struct validate_result *result);
static void check_together(const struct request *request, struct validate_result *results,
                           uint32_t count);
static int exit_status(const struct request *request, const struct validate_result *results,
                       uint32_t count);

// Reports that the documents from `at` on are not checked; returns the number of checked ones.
static uint32_t stop_checking(struct request *request, uint32_t at)
{
    const struct document *document = &request->documents.items[at];
    char *message;
    if (asprintf(&message,
                 "%s:%u:1: document %u: more than %d findings before it: the rest is not checked",
                 document->file, document->line, document->index + 1, FINDINGS_TOLD_MAX) < 0)
        abort();
    vector_push(&request->file_errors, message);
    return at;
}

// -o name.
static const char object_names[] = "{range .objects[?(@.name)]}{.kind}/{.name}{\"\\n\"}{end}";

static int check_all(struct request *request)
{
    read_files(request);
    uint32_t count = request->documents.count;
    struct validate_result *results = memory_allocate_array(count + 1, sizeof *results);
    uint64_t findings = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (findings >= FINDINGS_TOLD_MAX) {
            count = stop_checking(request, i);
            break;
        }
        check_document(request, &request->documents.items[i], &results[i]);
        findings += results[i].findings.count;
    }
    check_together(request, results, count);
    for (uint32_t i = 0; i < count; i++)
        validate_result_sort(&results[i]);
    int status = 0;
    if (document_is_wanted(request->input.format))
        status = document_print(
            &command_validate, request->input.format, object_names,
            validate_encode(results, count, &request->file_errors, request->ca_bundle));
    else
        validate_print_text(results, count, &request->file_errors);
    status = status == 0 ? exit_status(request, results, count) : status;
    for (uint32_t i = 0; i < count; i++) {
        json_decref(results[i].stored);
        findings_free(&results[i].findings);
    }
    free(results);
    return status;
}

static int run(int argc, char **argv)
{
    struct request request = {.options = {.advise = true, .now = wall_clock_ns()},
                              .input = {.format = "text"}};
    int status = 0;
    settings_defaults(&request.settings);
    if (read_arguments(argc, argv, &request, &status))
        status = read_old(&request) && read_catalog(&request) && read_settings(&request)
                     ? check_all(&request)
                     : request.unreadable_status;
    vector_free(&request.input.files);
    for (uint32_t i = 0; i < request.file_errors.count; i++)
        free(request.file_errors.items[i]);
    vector_free(&request.file_errors);
    if (request.old_by_name != NULL)
        map_destroy(request.old_by_name, NULL);
    settings_free(&request.settings);
    documents_free(&request.documents);
    documents_free(&request.old_documents);
    catalog_facts_destroy(request.catalog);
    documents_free(&request.catalog_documents);
    return status;
}

static bool read_arguments(int argc, char **argv, struct request *request, int *status)
{
    static const char *const formats[] = {"text", "table",         "name", "json",
                                          "yaml", JSONPATH_FORMAT, NULL};
    const char *version = NULL;
    const struct option_row rows[] = {
        {"lenient", .given = &request->options.lenient},
        {"old", .text = &request->old_file},
        {"catalog", .text = &request->catalog_file},
        {"settings", .text = &request->settings_file},
        {"ca-bundle", .text = &request->ca_bundle},
        {"core", .given = &request->options.core},
        {"as-of-version", .text = &version},
        {"warnings-as-errors", .given = &request->warnings_as_errors},
        {NULL},
    };
    if (!file_options_read(&command_validate, argc, argv, rows, &request->input, NULL, status))
        return false;
    request->options.as_of_aws_1_14 = version != NULL;
    if (version != NULL && strcmp(version, "aws-1.14") != 0) {
        *status = command_usage_error(&command_validate,
                                      "--as-of-version knows aws-1.14 only, not %s", version);
        return false;
    }
    if (request->input.files.count == 0)
        vector_push(&request->input.files, "-");
    return file_options_check(&command_validate, &request->input, formats, status);
}

// --- reading -------------------------------------------------------------------------------------
static const char *text_at(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static char *name_key(const json_t *object) // the caller frees
{
    const json_t *metadata = json_object_get(object, "metadata");
    const char *kind = text_at(object, "kind"), *name = text_at(metadata, "name");
    const char *namespace = text_at(metadata, "namespace");
    struct text key = {0};
    text_format(&key, "%s|%s|%s", kind != NULL ? kind : "", namespace != NULL ? namespace : "",
                name != NULL ? name : "");
    return text_take(&key);
}

// A missing file is bad input. The worst of all exit codes counts.
static bool complain(struct request *request, struct error *error)
{
    if (error->kind == ERROR_NOT_FOUND)
        error->kind = ERROR_INVALID;
    int status = command_failed(&command_validate, error);
    if (request->unreadable_status != 1)
        request->unreadable_status = status;
    return false;
}

static bool read_old(struct request *request)
{
    struct error error = {0};
    if (request->old_file == NULL)
        return true;
    if (!documents_read(&request->old_documents, request->old_file, false, &error))
        return complain(request, &error);
    request->old_by_name = map_create();
    for (uint32_t i = 0; i < request->old_documents.count; i++) {
        CLEANUP_FREE char *key = name_key(request->old_documents.items[i].value);
        map_set(request->old_by_name, key, &request->old_documents.items[i]);
    }
    return true;
}

static bool read_catalog(struct request *request)
{
    struct error error = {0};
    if (request->catalog_file == NULL)
        return true;
    if (!documents_read(&request->catalog_documents, request->catalog_file, false, &error))
        return complain(request, &error);
    request->catalog = catalog_facts_create();
    for (uint32_t i = 0; i < request->catalog_documents.count; i++)
        catalog_facts_add(request->catalog, request->catalog_documents.items[i].value);
    return true;
}

static bool read_settings(struct request *request)
{
    struct error error = {0};
    struct text names = {0};
    bool fine = request->settings_file == NULL ||
                settings_file_read(&request->settings, request->settings_file, &names, &error) ||
                complain(request, &error);
    text_free(&names);
    return fine;
}

// The document at the same place in the file if kind and name agree there, else the last of that
// kind and name.
static const json_t *old_of(const struct request *request, const struct document *document)
{
    if (request->old_by_name == NULL)
        return NULL;
    CLEANUP_FREE char *key = name_key(document->value);
    size_t position = (size_t)(document - request->documents.items);
    if (position < request->old_documents.count) {
        const struct document *beside = &request->old_documents.items[position];
        CLEANUP_FREE char *other = name_key(beside->value);
        if (strcmp(key, other) == 0)
            return beside->value;
    }
    const struct document *found = map_get(request->old_by_name, key);
    return found != NULL ? found->value : NULL;
}

static void read_file(struct request *request, const char *path);

static bool is_manifest(const char *name)
{
    return text_ends_with(name, ".yaml") || text_ends_with(name, ".yml") ||
           text_ends_with(name, ".json");
}

static bool is_passed_over(const char *path)
{
    struct stat status;
    const char *oddity = stat(path, &status) == 0 ? input_file_oddity(&status) : NULL;
    if (oddity != NULL)
        fprintf(stderr, "adze: %s: this is %s and is passed over\n", path, oddity);
    return oddity != NULL;
}

static int is_wanted(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int compare_entries(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

// Returns the number of manifests. API-300: recursive, in byte order; links to folders are not
// followed, as they may form cycles.
static uint32_t read_folder(struct request *request, const char *path)
{
    uint32_t manifests = 0;
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, is_wanted, compare_entries);
    if (count < 0) {
        struct error error = {0};
        error_set(&error, ERROR_UNAVAILABLE, "%s: %m", path);
        complain(request, &error);
    }
    for (int i = 0; i < count; i++) {
        struct text child = {0};
        struct stat status;
        text_format(&child, "%s%s%s", path, text_ends_with(path, "/") ? "" : "/",
                    entries[i]->d_name);
        if (lstat(child.data, &status) == 0 && S_ISDIR(status.st_mode))
            manifests += read_folder(request, child.data);
        else if (is_manifest(entries[i]->d_name) && ++manifests > 0 && !is_passed_over(child.data))
            read_file(request, child.data);
        text_free(&child);
        free(entries[i]);
    }
    free(entries);
    return manifests;
}

// An unreadable file does not stop the checks of the others.
static void read_file(struct request *request, const char *path)
{
    struct error error = {0};
    input_await(path);
    if (documents_read(&request->documents, path, true, &error))
        return;
    if (error.kind == ERROR_INVALID) {
        vector_push(&request->file_errors, memory_copy_string(error.message));
        return;
    }
    complain(request, &error);
}

static void read_named_folder(struct request *request, const char *path)
{
    struct error error = {0};
    int before = request->unreadable_status;
    if (read_folder(request, path) > 0 || request->unreadable_status != before)
        return;
    error_set(&error, ERROR_INVALID,
              "%s: there is no manifest (*.yaml, *.yml, *.json) in this directory", path);
    complain(request, &error);
}

static void read_files(struct request *request)
{
    for (uint32_t i = 0; i < request->input.files.count; i++) {
        struct stat status;
        const char *path = request->input.files.items[i];
        if (strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
            read_named_folder(request, path);
        else
            read_file(request, path);
    }
}

// --- checking ------------------------------------------------------------------------------------
// FMT-6, FMT-9: adze's own formats.
static void check_own_format(struct validate_result *result)
{
    struct error error = {0};
    if (result->known->id == KIND_SNAPSHOT_CONTEXT) {
        validate_snapshot_context(result->document->value, &result->findings);
        return;
    }
    struct object *object =
        object_decode(result->document->value, result->known, DECODE_STRICT, &error);
    if (object == NULL ||
        !instance_type_catalog_check((const struct instance_type_catalog *)object, &error))
        findings_add(&result->findings,
                     &(struct finding){.level = FINDING_REFUSED, .rule = "FMT-8", .path = ""}, "%s",
                     error.message);
    object_release(object);
}

static void check_document(struct request *request, const struct document *document,
                           struct validate_result *result)
{
    const json_t *metadata = json_object_get(document->value, "metadata");
    *result = (struct validate_result){
        .document = document,
        .api_version = text_at(document->value, "apiVersion"),
        .kind = text_at(document->value, "kind"),
        .name = text_at(metadata, "name"),
        .namespace = text_at(metadata, "namespace"),
    };
    if (document->value == NULL || json_is_null(document->value))
        return;
    if (result->api_version == NULL || result->kind == NULL) {
        refuse_no_object(document->value, document->index == 0, &result->findings);
        return;
    }
    result->known = kind_find(result->api_version, result->kind);
    if (result->known == NULL && kind_is_own(result->api_version, result->kind))
        refuse_kind(result->api_version, result->kind, &result->findings);
    else if (result->known != NULL && (result->known->id == KIND_INSTANCE_TYPE_CATALOG ||
                                       result->known->id == KIND_SNAPSHOT_CONTEXT))
        check_own_format(result);
    else if (result->known != NULL && result->known->custom &&
             validate_object(result->known, document->value, old_of(request, document),
                             &request->options, &result->findings, &result->stored) &&
             !request->options.core)
        providers_check_object(result->known, result->stored, &result->findings);
}

static void check_together(const struct request *request, struct validate_result *results,
                           uint32_t count)
{
    struct validated *set = memory_allocate_array(count + 1, sizeof *set);
    size_t members = 0;
    for (uint32_t i = 0; i < count; i++)
        if (results[i].stored != NULL)
            set[members++] = (struct validated){results[i].known, results[i].name,
                                                results[i].stored, &results[i].findings};
    validate_set(set, members);
    if (request->catalog != NULL)
        validate_against_catalog(set, members, request->catalog);
    if (request->settings_file != NULL)
        validate_against_settings(set, members, &request->settings);
    free(set);
}

static int exit_status(const struct request *request, const struct validate_result *results,
                       uint32_t count)
{
    if (request->unreadable_status != 0)
        return request->unreadable_status;
    bool bad = request->file_errors.count > 0;
    for (uint32_t i = 0; i < count && !bad; i++)
        for (uint32_t k = 0; k < results[i].findings.count && !bad; k++)
            bad = results[i].findings.items[k].level != FINDING_WARNING ||
                  request->warnings_as_errors;
    return bad ? EXIT_BAD_INPUT : 0;
}

const struct command command_validate = {
    .name = "validate",
    .arguments = "[options] [FILE|DIR|-]...",
    .summary = "check manifests offline, with the rules of the CRDs and of the controller",
    .help =
        "Reads YAML or JSON, several documents a file; a directory means its *.yaml, *.yml and\n"
        "*.json files. NodePool, NodeClaim, NodeOverlay, CapacityBuffer, EC2NodeClass, "
        "KWOKNodeClass,\n"
        "InstanceTypeCatalog and SnapshotContext are checked, other kinds are skipped.\n"
        "\n"
        "  -f, --file FILE         the same as FILE\n"
        "  -o, --output FORMAT     text (default), name, json, yaml or jsonpath=TEMPLATE\n"
        "  --color WHEN            auto (default: on a terminal), always or never\n"
        "  --old FILE              the objects as they were: checks what may not change\n"
        "  --catalog FILE          instance types (InstanceTypeCatalog) to hold requirements "
        "against\n"
        "  --settings FILE         the controller's (NAME=VALUE, ConfigMap, Deployment): warns of "
        "spot\n"
        "                          without an interruption queue\n"
        "  --lenient               unknown fields are warnings\n"
        "  --core                  without the rules of the AWS provider\n"
        "  --as-of-version V       aws-1.14: the CRDs as shipped with that release\n"
        "  --ca-bundle BASE64      the cluster's, for the drift hash of an EC2NodeClass\n"
        "  --warnings-as-errors    exit with 2 for warnings too\n"
        "\n"
        "Levels: refused (an API server refuses the object), rejected (the controller does), "
        "warning.\n"
        "Exit codes: 0 nothing refused or rejected, 2 something is, 1 a file cannot be read.\n"
        "\n"
        "  adze validate examples/\n"
        "  kubectl get nodepools,ec2nodeclasses -o yaml | adze validate -\n",
    .run = run,
};
