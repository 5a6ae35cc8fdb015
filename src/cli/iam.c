// adze iam: the least IAM policy for the features in use.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/input/options.h"
#include "cli/input/settings_options.h"
#include "cloud/aws/iam_policy.h"
#include "model/reading/settings_read.h"

#define POLICY_SIZE_MAX 6144 // of IAM, without white space

struct request {
    struct settings settings;
    struct iam_policy_options policy;
    const char *format;
};

static void print(json_t *value)
{
    json_dumpf(value, stdout, JSON_INDENT(2));
    putchar('\n');
}

// --- managed policies ----------------------------------------------------------------------------

static size_t size_of(const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT);
    size_t size = text != NULL ? strlen(text) : 0;
    free(text);
    return size;
}

// IAM refuses larger managed policies: the statements are spread over as many as are needed.
static json_t *split(const json_t *policy)
{
    json_t *parts = json_array(), *statement, *statements = NULL;
    size_t size = 0, index;
    json_array_foreach (json_object_get(policy, "Statement"), index, statement) {
        size_t more = size_of(statement) + 1;
        if (statements == NULL || size + more > POLICY_SIZE_MAX) {
            statements = json_array();
            json_t *part = json_pack("{s:O, s:o}", "Version", json_object_get(policy, "Version"),
                                     "Statement", statements);
            size = size_of(part);
            json_array_append_new(parts, part);
        }
        json_array_append(statements, statement);
        size += more;
    }
    return parts;
}

// "" of the first, "2" of the next.
static void suffix_of(size_t index, char out[24])
{
    out[0] = '\0';
    if (index > 0)
        snprintf(out, 24, "%zu", index + 1);
}

static void print_cloudformation(const json_t *policies, const char *cluster)
{
    json_t *resources = json_object(), *outputs = json_object(), *policy;
    size_t index;
    json_array_foreach (policies, index, policy) {
        char suffix[24], name[80], output[40];
        suffix_of(index, suffix);
        snprintf(name, sizeof name, "KarpenterControllerPolicy%s", suffix);
        snprintf(output, sizeof output, "PolicyArn%s", suffix);
        json_object_set_new(resources, name,
                            json_pack("{s:s, s:{s:o, s:O}}", "Type", "AWS::IAM::ManagedPolicy",
                                      "Properties", "ManagedPolicyName",
                                      json_sprintf("%s-%s", name, cluster), "PolicyDocument",
                                      policy));
        json_object_set_new(outputs, output, json_pack("{s:{s:s}}", "Value", "Ref", name));
    }
    json_t *template = json_pack("{s:s, s:s, s:o, s:o}", "AWSTemplateFormatVersion", "2010-09-09",
                                 "Description", "The permissions of adze, the node autoscaler",
                                 "Resources", resources, "Outputs", outputs);
    print(template);
    json_decref(template);
}

static void print_terraform(const json_t *policies, const char *cluster)
{
    json_t *policy;
    size_t index;
    json_array_foreach (policies, index, policy) {
        char *text = json_dumps(policy, JSON_INDENT(2));
        char suffix[24];
        suffix_of(index, suffix);
        printf("resource \"aws_iam_policy\" \"karpenter_controller%s%s\" {\n"
               "  name   = \"KarpenterControllerPolicy%s-%s\"\n"
               "  policy = <<-POLICY\n%s\n  POLICY\n}\n",
               index > 0 ? "_" : "", suffix, suffix, cluster, text);
        free(text);
    }
}

// --- the command line ----------------------------------------------------------------------------

// Goes into ARNs and templates. Commas separate the parts of lists.
static bool is_plain(const char *text)
{
    for (const char *at = text; *at != '\0'; at++)
        if (!isalnum((unsigned char)*at) && strchr("-_.+=,@:/*", *at) == NULL)
            return false;
    return *text != '\0' && strlen(text) < 2048;
}

// Names: without the signs that are wildcards or separators in ARNs.
static bool is_name(const char *text, size_t length_max)
{
    for (const char *at = text; *at != '\0'; at++)
        if (!isalnum((unsigned char)*at) && strchr("-_.", *at) == NULL)
            return false;
    return *text != '\0' && strlen(text) <= length_max;
}

static int check(const struct request *request)
{
    const struct iam_policy_options *policy = &request->policy;
    const struct {
        const char *name, *value;
    } names[] = {{"--cluster-name", policy->cluster},
                 {"--region", policy->region},
                 {"--account", policy->account},
                 {"--partition", policy->partition}},
      texts[] = {{"--interruption-queue", policy->interruption_queue},
                 {"--node-role", policy->node_roles},
                 {"--ssm-parameter", policy->ssm_parameters}};
    if (text_is_empty(policy->cluster) || text_is_empty(policy->region) || policy->account == NULL)
        return command_usage_error(&command_iam,
                                   "--cluster-name, --region and --account are needed");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].value != NULL && !is_name(names[i].value, 100))
            return command_usage_error(&command_iam, "%s is not valid", names[i].name);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].value != NULL && !is_plain(texts[i].value))
            return command_usage_error(&command_iam, "%s is not valid", texts[i].name);
    if (strlen(policy->account) != 12 || strspn(policy->account, "0123456789") != 12)
        return command_usage_error(&command_iam, "--account takes twelve digits");
    static const char *const formats[] = {"json", "cloudformation", "terraform", NULL};
    int status = -1;
    option_is_one_of(&command_iam, "-o", request->format, formats, &status);
    return status;
}

static const char *partition_of(const char *region)
{
    return text_starts_with(region, "cn-")       ? "aws-cn"
           : text_starts_with(region, "us-gov-") ? "aws-us-gov"
                                                 : "aws";
}

static const char *region_of_environment(void)
{
    const char *region = getenv("AWS_REGION");
    return region != NULL && *region != '\0' ? region : getenv("AWS_DEFAULT_REGION");
}

// Short names of options that belong to settings.
static int read_options(struct request *request, int argc, char **argv)
{
    struct iam_policy_options *policy = &request->policy;
    const struct settings *settings = &request->settings;
    bool upstream = false, zonal_shift = false;
    const char *cluster = NULL, *queue = NULL;
    const struct extra_option extras[] = {
        {"cluster", &cluster, NULL},
        {"queue", &queue, NULL},
        {"zonal-shift", NULL, &zonal_shift},
        {"upstream", NULL, &upstream},
        {"region", &policy->region, NULL},
        {"account", &policy->account, NULL},
        {"partition", &policy->partition, NULL},
        {"node-role", &policy->node_roles, NULL},
        {"ssm-parameter", &policy->ssm_parameters, NULL},
        {"own-instance-profiles", NULL, &policy->own_instance_profiles},
        {"doctor", NULL, &policy->doctor},
        {"output", &request->format, NULL},
        {"o", &request->format, NULL},
        {0},
    };
    int status = settings_from_command_line(&command_iam, &request->settings, argc, argv, extras);
    policy->cluster = cluster != NULL ? cluster : settings->cluster_name;
    policy->interruption_queue = queue != NULL ? queue : settings->interruption_queue;
    if (text_is_empty(policy->interruption_queue) && queue == NULL)
        policy->interruption_queue = NULL;
    policy->zonal_shift = zonal_shift || settings->enable_zonal_shift;
    policy->isolated_vpc = settings->isolated_vpc;
    policy->upstream = upstream || settings->compatibility_upstream;
    if (policy->region == NULL)
        policy->region = region_of_environment();
    return status;
}

static int print_policy(struct request *request)
{
    struct iam_policy_options *options = &request->policy;
    struct error error = {0};
    if (options->partition == NULL)
        options->partition = partition_of(options->region);
    json_t *policy = iam_policy_create(options, &error);
    if (policy == NULL)
        return command_failed(&command_iam, &error);
    json_t *parts = split(policy);
    if (strcmp(request->format, "terraform") == 0)
        print_terraform(parts, options->cluster);
    else if (strcmp(request->format, "cloudformation") == 0)
        print_cloudformation(parts, options->cluster);
    else
        print(policy);
    if (strcmp(request->format, "json") == 0 && json_array_size(parts) > 1)
        fprintf(
            stderr,
            "adze iam: larger than the %d characters of a managed policy: make it an inline "
            "policy of the role, or several; -o cloudformation and -o terraform print several\n",
            POLICY_SIZE_MAX);
    json_decref(parts);
    json_decref(policy);
    return 0;
}

static int run(int argc, char **argv)
{
    struct request request = {.format = "json"};
    settings_defaults(&request.settings);
    int status = read_options(&request, argc, argv);
    if (status < 0)
        status = check(&request);
    if (status < 0)
        status = print_policy(&request);
    settings_free(&request.settings);
    return status;
}

const struct command command_iam = {
    .name = "iam",
    .arguments = "--cluster-name NAME --region REGION --account ID [SETTINGS] [-o FORMAT]",
    .summary = "print the least IAM policy of the AWS provider",
    .help =
        "Reads the controller's settings, flags or environment variables: --cluster-name, "
        "--interruption-queue,\n--enable-zonal-shift, --isolated-vpc and --compatibility decide "
        "which statements are printed.\n\n"
        "      --region REGION        default: AWS_REGION\n"
        "      --account ID           the AWS account, twelve digits\n"
        "      --partition NAME       aws, aws-cn or aws-us-gov; default: by the region\n"
        "      --node-role ROLES      roles of the nodes, names or ARNs, separated by commas;\n"
        "                             default: KarpenterNodeRole-<cluster>\n"
        "      --ssm-parameter NAMES  own parameters of amiSelectorTerms, separated by commas;\n"
        "                             * stands for any text\n"
        "      --own-instance-profiles\n"
        "                             every EC2NodeClass names its instance profile\n"
        "      --doctor               the controller's role runs `adze doctor`, too\n"
        "      --cluster, --queue, --zonal-shift, --upstream\n"
        "                             short for --cluster-name, --interruption-queue,\n"
        "                             --enable-zonal-shift and --compatibility upstream\n"
        "  -o, --output FORMAT        json (default), cloudformation or terraform\n"
        "\n"
        "  adze iam --cluster-name prod --region eu-west-1 --account 111122223333 "
        "--interruption-queue prod\n",
    .run = run,
};
