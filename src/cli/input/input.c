#include "cli/input/input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/input/device_notes.h"
#include "cli/input/left_out.h"
#include "cli/input/manifest_check.h"
#include "cli/input/missing_objects.h"
#include "cli/input/price_file.h"
#include "cli/input/provider_options.h"
#include "cloud/providers.h"
#include "model/reading/settings_read.h"
#include "model/snapshot/claims_admission.h"
#include "model/snapshot/snapshot_complete.h"
#include "model/snapshot/snapshot_read.h"

// --- options -------------------------------------------------------------------------------------

bool input_take_option(struct input_options *options, int option)
{
    switch (option) {
    case INPUT_STRICT:
        options->strict = true;
        return true;
    case INPUT_REGION:
        options->live.region = optarg;
        return true;
    case INPUT_CATALOG:
        options->catalog = optarg;
        return true;
    case INPUT_SET:
    case INPUT_SETTINGS:
        plan_settings_add(&options->settings, optarg, option == INPUT_SETTINGS);
        return true;
    case INPUT_FORCE:
        options->force = true;
        return true;
    case INPUT_PROVIDER:
        options->live.provider = optarg;
        return true;
    default:
        return file_options_take(&options->common, option) ||
               cluster_options_take(&options->live.cluster, option);
    }
}

bool input_check_options(const struct command *command, const struct input_options *options,
                         int *status)
{
    static const char *const formats[] = {"table", "wide",          "name", "json",
                                          "yaml",  JSONPATH_FORMAT, NULL};
    const struct live_options *live = &options->live;
    if (!file_options_check(command, &options->common, formats, status) ||
        !provider_is_offered(command, live->provider, status))
        return false;
    if (options->common.files.count == 0 || !kube_choice_is_made(&live->cluster))
        return true;
    *status = command_usage_error(command, "-f reads files, --kubeconfig, --context and --server a "
                                           "live cluster: give one or the other");
    return false;
}

void input_free(struct input_options *options)
{
    vector_free(&options->common.files);
    plan_settings_free(&options->settings);
    region_free(&options->region);
    free(options->catalog_text);
    free(options->left_out);
    free(options->assumptions);
    options->catalog_text = options->left_out = options->assumptions = NULL;
}

// --- the instance types --------------------------------------------------------------------------

static void describe_catalogs(struct input_options *options, const struct snapshot *snapshot,
                              const struct live_provider *provider, const char *source,
                              const char *classes, const char *missing)
{
    struct text text = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count; i++) {
        const struct instance_type_catalog *catalog =
            (const struct instance_type_catalog *)snapshot->objects[KIND_INSTANCE_TYPE_CATALOG]
                .items[i];
        if (classes == NULL || catalog->spec.node_pools.count == 0)
            count += catalog->spec.instance_types.count;
    }
    text_format(&text, "%" PRIu32 " %s%s%s%s", count, source,
                text_or_empty(provider->region.remarks.data), text_or_empty(classes),
                text_or_empty(missing));
    if (provider->rivals != NULL)
        text_format(&text,
                    "\nConfigMap " PROVIDER_RECORD_NAME " is in namespaces %s: that of %s counts",
                    provider->rivals, provider->record.namespace);
    if (!text_is_empty(provider->record.settings) && strcmp(provider->record.settings, "{}") != 0)
        text_format(&text, "\nsettings of the cluster's controller: %.500s",
                    provider->record.settings);
    if (!text_is_empty(provider->left_out))
        text_format(&text, "\nNodePools of other providers, left out: %s", provider->left_out);
    options->catalog_text = text_take(&text);
}

static void forget_catalogs(struct snapshot *snapshot)
{
    for (uint32_t i = 0; i < snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count; i++)
        object_release(snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].items[i]);
    snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count = 0;
}

// FMT-14: a missing file that the user named is bad input.
static bool blame_name(struct error *error)
{
    if (error->kind == ERROR_NOT_FOUND)
        error->kind = ERROR_INVALID;
    return false;
}

// --catalog, else the input's own, else the provider's: for a live cluster those of its controller.
static bool add_catalog(struct input_options *options, struct snapshot *snapshot,
                        struct live_provider *provider, struct error *error)
{
    if (options->catalog == NULL && snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count > 0) {
        if (!region_find(&provider->region, NULL, options->live.region, snapshot, error) ||
            !price_file_apply(snapshot, NULL, error))
            return false;
        struct text missing = {0};
        missing_objects_tell(snapshot, NULL, &missing);
        describe_catalogs(options, snapshot, provider, "of the input", NULL, missing.data);
        text_free(&missing);
        return true;
    }
    const char *path =
        options->catalog != NULL ? options->catalog : snapshot->settings.instance_types_file_path;
    const struct instance_type_catalog *catalog = NULL;
    bool judges = options->admission && !options->force && options->common.files.count > 0;
    options->built_in = live_provider_built_in(provider, path);
    CLEANUP_FREE char *files =
        input_file_words(options->common.files.items, options->common.files.count);
    if (judges && options->built_in && !missing_objects_refuse_classes(snapshot, files, "", error))
        return false;
    if (live_provider_find_region(provider, path, options->live.region, snapshot, error))
        catalog = live_provider_catalog(provider, path, snapshot, error);
    if (catalog == NULL)
        return blame_name(error);
    forget_catalogs(snapshot);
    struct text classes = {0};
    snapshot_add(snapshot, (const struct object *)catalog);
    live_provider_add_class_catalogs(provider, path, catalog, snapshot, &classes);
    object_release((const struct object *)catalog);
    const struct cloud_provider *built_in = live_provider_built_in(provider, path);
    if (!price_file_apply(snapshot, built_in, error)) {
        text_free(&classes);
        return blame_name(error);
    }
    CLEANUP_FREE char *source = live_provider_catalog_text(provider, path, snapshot);
    struct text missing = {0};
    missing_objects_tell(snapshot, built_in, &missing);
    describe_catalogs(options, snapshot, provider, source, classes.data, missing.data);
    text_free(&missing);
    text_free(&classes);
    return true;
}

static bool is_empty(const struct snapshot *snapshot)
{
    for (int kind = 0; kind < KIND_COUNT; kind++)
        if (snapshot->objects[kind].count > 0)
            return false;
    return true;
}

struct notes { // what is to be told of the input
    struct manifest_check check;
    struct left_out left_out;
    struct text settings;
};

static void notes_free(struct notes *notes)
{
    text_free(&notes->settings);
    left_out_free(&notes->left_out);
    manifest_check_free(&notes->check);
}

static bool refuse_nothing(const struct input_options *options, const struct notes *notes,
                           struct error *error)
{
    struct text others = {0};
    left_out_tell(&notes->left_out, "", &others);
    bool is_one = options->common.files.count == 1;
    error_set(error, ERROR_INVALID,
              "%s%s: nothing to plan: no object of a kind that matters, such as NodePool, "
              "Deployment or Pod%s%.500s",
              (const char *)options->common.files.items[0], is_one ? "" : " and others",
              others.length > 0 ? "; " : "", others.length > 0 ? others.data + 1 : "");
    text_free(&others);
    return false;
}

static bool read_files(const struct input_options *options, struct snapshot *snapshot,
                       struct notes *notes, struct error *error)
{
    const struct snapshot_examiner examiner = {options->admission ? manifest_examine : NULL,
                                               left_out_unread, &notes->check, &notes->left_out};
    for (uint32_t i = 0; i < options->common.files.count; i++) {
        input_await(options->common.files.items[i]);
        if (!snapshot_read_examined(snapshot, options->common.files.items[i], options->strict,
                                    &examiner, error))
            return blame_name(error);
    }
    for (uint32_t i = 0; i < snapshot->skipped.count; i++)
        fprintf(stderr, "adze: %s\n", snapshot->skipped.items[i]);
    snapshot_merge_duplicates(snapshot);
    return !is_empty(snapshot) || refuse_nothing(options, notes, error);
}

// FMT-9: a SnapshotContext says all settings, so that a saved snapshot gives the same plan
// anywhere.
static bool take_settings(const struct input_options *options, struct snapshot *snapshot,
                          bool is_live, struct text *remarks, struct error *error)
{
    bool has_own = is_live || snapshot->has_context;
    return (has_own || plan_settings_take_environment(snapshot, remarks, error)) &&
           plan_settings_take(&options->settings, snapshot, remarks, error);
}

static bool has_burstable_types(const struct snapshot *snapshot)
{
    for (uint32_t i = 0; i < snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count; i++) {
        const struct instance_type_catalog *catalog =
            (const struct instance_type_catalog *)snapshot->objects[KIND_INSTANCE_TYPE_CATALOG]
                .items[i];
        list_for_each (type, &catalog->spec.instance_types)
            if (type->burst.surplus_price > 0)
                return true;
    }
    return false;
}

// Of the settings that the controller learns, prices of burstable types alone depend on one.
static void tell_learned(const struct snapshot *snapshot, struct text *remarks)
{
    struct text text = {0};
    settings_describe_learned(&snapshot->settings, &text);
    if (text.length > 0 && has_burstable_types(snapshot))
        text_format(remarks, "\n%s", text.data);
    text_free(&text);
}

static void tell_notes(struct input_options *options, const struct notes *notes)
{
    struct text text = {0}, left_out = {0};
    text_format(&text, "%s%s%s", options->catalog_text, text_or_empty(notes->settings.data),
                text_or_empty(notes->check.remarks.data));
    free(options->catalog_text);
    options->assumptions = memory_copy_string(text.data);
    left_out_tell(&notes->left_out, "left out: ", &text);
    options->catalog_text = text_take(&text);
    left_out_tell(&notes->left_out, "", &left_out);
    options->left_out = text_take(&left_out);
}

static bool complete(struct input_options *options, struct snapshot *snapshot,
                     struct live_provider *provider, struct notes *notes, struct error *error)
{
    bool is_live = options->common.files.count == 0;
    if (!take_settings(options, snapshot, is_live, &notes->settings, error) ||
        !left_out_examine(&notes->left_out, snapshot, error) ||
        !add_catalog(options, snapshot, provider, error) || !snapshot_complete(snapshot, error))
        return false;
    claims_admit(snapshot, &notes->settings);
    tell_learned(snapshot, &notes->settings);
    return true;
}

bool input_read(struct input_options *options, struct snapshot *snapshot, struct error *error)
{
    // For files: every NodePool in them counts.
    struct live_provider provider = {.record = {.source = TYPES_BUILT_IN}};
    bool goes_on = options->force || options->explains;
    struct notes notes = {.check = {.strict = options->strict, .force = goes_on},
                          .left_out = {.strict = options->strict}};
    bool is_live = options->common.files.count == 0;
    if (!is_live)
        provider.record.provider = memory_copy_string(
            options->live.provider != NULL ? options->live.provider : provider_of_files()->name);
    bool done = is_live ? live_snapshot_read(snapshot, &options->live, &provider, error)
                        : read_files(options, snapshot, &notes, error);
    if (snapshot->time == 0)
        snapshot->time = wall_clock_ns(); // FMT-9: the time of the run
    done = done && complete(options, snapshot, &provider, &notes, error);
    if (done) {
        device_notes_add(snapshot, &notes.settings);
        tell_notes(options, &notes);
    }
    notes_free(&notes);
    options->region = provider.region; // taken over
    provider.region = (struct region){.table = NULL};
    live_provider_free(&provider);
    return done;
}

// --- printing ------------------------------------------------------------------------------------

static void add_lines(json_t *json, const char *field, const char *lines)
{
    VECTOR(char *) sorted = {0};
    json_t *list = json_array();
    while (lines != NULL && *lines != '\0') {
        lines += *lines == '\n';
        size_t length = strcspn(lines, "\n");
        struct text line = {0};
        text_add_bytes(&line, lines, length);
        vector_push(&sorted, text_take(&line));
        lines += length;
    }
    if (sorted.count > 0)
        qsort(sorted.items, sorted.count, sizeof *sorted.items, text_compare);
    for (uint32_t i = 0; i < sorted.count; i++) {
        json_array_append_new(list, json_string(sorted.items[i]));
        free(sorted.items[i]);
    }
    vector_free(&sorted);
    if (json_array_size(list) > 0)
        json_object_set(json, field, list);
    json_decref(list);
}

json_t *input_with_notes(const struct input_options *options, json_t *json)
{
    struct text text = {0};
    text_format(&text, "instance types: %s", options->assumptions);
    add_lines(json, "assumptions", text.data);
    add_lines(json, "leftOut", options->left_out);
    text_free(&text);
    return json;
}
