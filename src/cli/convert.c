// adze convert: manifests of older versions and of other autoscalers to v1.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "cli/autoscaler/autoscaler.h"
#include "cli/autoscaler/workload.h"
#include "cli/convert/conversion.h"
#include "cli/convert/karpenter.h"
#include "cli/convert/old_settings.h"
#include "cli/convert/output.h"
#include "cli/convert/sources.h"
#include "cli/convert/together.h"
#include "cli/input/command.h"
#include "cli/input/options.h"
#include "model/manifest/input.h"
#include "model/manifest/input_texts.h"

struct request {
    struct file_options input;
    struct conversion *conversion;
    const char *notes, *flags_file, *catalog_file;
};

static bool take_variable(struct request *request, const char *text, int *status)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text) {
        *status = command_usage_error(&command_convert, "--set takes NAME=VALUE, not %s", text);
        return false;
    }
    struct conversion *conversion = request->conversion;
    vector_push(
        &conversion->options.variables,
        (struct variable){arena_copy_bytes(conversion->arena, text, (size_t)(equals - text)),
                          equals + 1});
    return true;
}

static bool check_values(struct request *request, int *status)
{
    static const char *const formats[] = {"yaml", "json", NULL};
    static const char *const notes[] = {"both", "comments", "stderr", "json", "none", NULL};
    static const char *const images[] = {"latest", "pinned", "id", NULL};
    const struct convert_options *options = &request->conversion->options;
    if (options->role != NULL && options->instance_profile != NULL) {
        *status = command_usage_error(&command_convert,
                                      "--role and --instance-profile exclude each other");
        return false;
    }
    return file_options_check(&command_convert, &request->input, formats, status) &&
           option_is_one_of(&command_convert, "--notes", request->notes, notes, status) &&
           option_is_one_of(&command_convert, "--ami", options->ami, images, status);
}

static bool read_arguments(int argc, char **argv, struct request *request, int *status)
{
    struct convert_options *options = &request->conversion->options;
    option_list variables = {0};
    const char *version = "v1";
    const struct option_row rows[] = {
        {"role", .text = &options->role},
        {"instance-profile", .text = &options->instance_profile},
        {"cluster-name", .text = &options->cluster_name},
        {"ami", .text = &options->ami},
        {"ignore-defaults", .given = &options->ignore_defaults},
        {"strict", .given = &options->strict},
        {"notes", .text = &request->notes},
        {"set", .list = &variables},
        {"to", .text = &version},
        {"flags", .text = &request->flags_file},
        {"catalog", .text = &request->catalog_file},
        {"widen", .given = &options->widen},
        {"static-min", .given = &options->static_min},
        {"grace", .given = &options->grace},
        {"buffers", .given = &options->buffers},
        {"no-merge", .given = &options->no_merge},
        {"drop-old", .given = &options->drop_old},
        {NULL},
    };
    bool good =
        file_options_read(&command_convert, argc, argv, rows, &request->input, NULL, status);
    for (uint32_t i = 0; good && i < variables.count; i++)
        good = take_variable(request, variables.items[i], status);
    vector_free(&variables);
    if (good && strcmp(version, "v1") != 0) {
        *status = command_usage_error(&command_convert, "--to knows v1 only, not %s", version);
        good = false;
    }
    if (request->input.files.count == 0 && request->flags_file == NULL)
        vector_push(&request->input.files, "-");
    return good && check_values(request, status);
}

// Returns the exit code of unreadable files; 0: none.
static int read_files(struct request *request)
{
    int status = 0;
    for (uint32_t i = 0; i < request->input.files.count; i++) {
        struct error error = {0};
        input_await(request->input.files.items[i]);
        if (sources_read(request->conversion, request->input.files.items[i], &error))
            continue;
        if (error.kind == ERROR_NOT_FOUND)
            error.kind = ERROR_INVALID;
        int failure = command_failed(&command_convert, &error);
        status = status == 1 ? 1 : failure;
    }
    return status;
}

static bool receive_flags(void *context, const char *name, const struct text *text,
                          struct error *error)
{
    (void)error;
    struct autoscaler *autoscaler = context;
    autoscaler_take_flags(autoscaler, name, text_or_empty(text->data));
    return true;
}

// A file of flags; returns the exit code if it cannot be read, 0 otherwise.
static int read_flags(struct request *request, struct autoscaler *autoscaler)
{
    struct error error = {0};
    if (request->flags_file != NULL)
        input_await(request->flags_file);
    if (request->flags_file == NULL ||
        input_texts_read(request->flags_file,
                         &(struct input_receiver){.receive = receive_flags, .context = autoscaler},
                         &error))
        return 0;
    if (error.kind == ERROR_NOT_FOUND)
        error.kind = ERROR_INVALID;
    return command_failed(&command_convert, &error);
}

static void take_names(json_t *names, const json_t *types, const char *key)
{
    size_t index;
    json_t *type;
    json_array_foreach ((json_t *)types, index, type)
        if (json_is_string(json_object_get(type, key)))
            json_array_append(names, json_object_get(type, key));
}

// Returns the exit code if the catalogue cannot be read or names nothing, 0 otherwise.
static int read_catalog(struct request *request)
{
    struct documents documents = {0};
    struct error error = {0};
    if (request->catalog_file == NULL)
        return 0;
    if (!documents_read(&documents, request->catalog_file, false, &error)) {
        error.kind = error.kind == ERROR_NOT_FOUND ? ERROR_INVALID : error.kind;
        documents_free(&documents);
        return command_failed(&command_convert, &error);
    }
    json_t *names = json_array();
    for (uint32_t i = 0; i < documents.count; i++) {
        const json_t *value = documents.items[i].value;
        take_names(names, json_object_get(json_object_get(value, "spec"), "instanceTypes"), "name");
        take_names(names, json_object_get(value, "InstanceTypes"), "InstanceType");
    }
    documents_free(&documents);
    request->conversion->options.type_names = names;
    if (json_array_size(names) > 0)
        return 0;
    error_set(&error, ERROR_INVALID, "%s: no instance types (--catalog)", request->catalog_file);
    return command_failed(&command_convert, &error);
}

static int convert_all(struct request *request)
{
    struct conversion *conversion = request->conversion;
    struct autoscaler *autoscaler = autoscaler_create(conversion);
    int status = read_catalog(request);
    status = status == 0 ? read_flags(request, autoscaler) : status;
    for (uint32_t i = 0; i < conversion->sources.count; i++)
        old_settings_take(conversion->sources.items[i]);
    for (uint32_t i = 0; i < conversion->sources.count; i++)
        if (!karpenter_convert(conversion->sources.items[i]))
            autoscaler_take(autoscaler, conversion->sources.items[i]);
    autoscaler_finish(autoscaler);
    for (uint32_t i = 0; i < conversion->sources.count; i++)
        workload_convert(conversion->sources.items[i], autoscaler);
    auto_mode_classes_add(conversion);
    kubelets_move(conversion);
    old_settings_apply(conversion);
    duplicates_check(conversion);
    variables_note(conversion);
    autoscaler_destroy(autoscaler);
    return status;
}

static void print_all(struct request *request)
{
    bool json = strcmp(request->input.format, "json") == 0;
    bool both = strcmp(request->notes, "both") == 0;
    unsigned where = 0;
    if (both || strcmp(request->notes, "comments") == 0)
        where |= NOTES_COMMENTS;
    if (both || strcmp(request->notes, "stderr") == 0)
        where |= NOTES_STDERR;
    if ((json && strcmp(request->notes, "none") != 0) || strcmp(request->notes, "json") == 0)
        where = NOTES_JSON;
    for (uint32_t i = 0; i < request->conversion->errors.count; i++)
        fprintf(stderr, "adze convert: %s\n", request->conversion->errors.items[i]);
    convert_print_notes(request->conversion, where);
    if (json)
        convert_print_json(request->conversion);
    else
        convert_print_yaml(request->conversion, where);
}

static int run(int argc, char **argv)
{
    struct request request = {
        .input = {.format = "yaml"}, .conversion = conversion_create(), .notes = "both"};
    int status = 0;
    request.conversion->options.ami = "latest";
    if (read_arguments(argc, argv, &request, &status)) {
        status = read_files(&request);
        int flags_status = convert_all(&request);
        status = status != 0 ? status : flags_status;
        print_all(&request);
        if (status == 0 && request.conversion->errors.count > 0)
            status = EXIT_BAD_INPUT;
        if (status == 0 && convert_has_open_notes(request.conversion))
            status = EXIT_UNPLACED;
    }
    vector_free(&request.input.files);
    conversion_destroy(request.conversion);
    return status;
}

const struct command command_convert = {
    .name = "convert",
    .arguments = "[options] [FILE|DIR|-]...",
    .summary = "turn manifests of older versions and of other autoscalers into v1",
    .help =
        "Reads Provisioners, AWSNodeTemplates, v1beta1 NodePools and EC2NodeClasses, NodePools of "
        "EKS Auto\nMode, Cluster Autoscaler's Deployment or Helm values, the output of aws "
        "autoscaling "
        "describe-auto-scaling-groups,\naws ec2 describe-launch-template-versions and aws eks "
        "describe-nodegroup, "
        "eksctl's ClusterConfig,\nworkloads, and v1 objects as guides print them. Prints v1 "
        "manifests for kubectl "
        "apply, and a note for each thing that is not as it was: as a "
        "comment above the object and on\nstandard error. What needs nothing stays as it is, byte "
        "for byte. Nothing is read from a cluster.\n"
        "\n"
        "  -f, --file FILE           the same as FILE\n"
        "  -o, --output FORMAT       yaml (default) or json\n"
        "  --color WHEN              of notes: auto (default: on a terminal), always or never\n"
        "  --role NAME               the nodes' role, where the input has none\n"
        "  --instance-profile NAME   the nodes' instance profile, where the input has none\n"
        "  --cluster-name NAME       fills in variables such as ${CLUSTER_NAME}\n"
        "  --set NAME=VALUE          fills in the variable ${NAME}; may be repeated\n"
        "  --ami VERSION             latest (default), or pinned: a placeholder for the version\n"
        "  --ignore-defaults         without the requirements that older versions added\n"
        "  --flags FILE              Cluster Autoscaler's flags as text\n"
        "  --catalog FILE            instance types (an InstanceTypeCatalog, or the output of aws\n"
        "                            ec2 describe-instance-types) that wildcards stand for\n"
        "  --widen                   families and sizes in place of a group's list of types\n"
        "  --static-min              a static NodePool for the least size of each group\n"
        "  --grace                   terminationGracePeriod from max-graceful-termination-sec\n"
        "  --no-merge                groups that differ in zones only stay apart\n"
        "  --buffers                 a CapacityBuffer in place of a Deployment of placeholder "
        "pods\n"
        "  --drop-old                without Cluster Autoscaler's annotations beside the new ones\n"
        "  --strict                  unknown fields are errors\n"
        "  --notes WHERE             both (default), comments, stderr, json or none\n"
        "  --to VERSION              v1, the only one\n"
        "\n"
        "Exit codes: 0 converted, 3 converted but something is lost or left to do, 2 bad input, 1 "
        "a file cannot be\nread.\n"
        "\n"
        "  adze convert old/ > new.yaml\n"
        "  aws autoscaling describe-auto-scaling-groups | adze convert -\n"
        "  adze convert --role KarpenterNodeRole-shop provisioner.yaml | adze validate -\n",
    .run = run,
};
