// adze iam: the least IAM policy for the features in use.
#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/input/command.h"
#include "cloud/aws/iam_policy.h"

static bool is_plain(const char *text) // goes into ARNs and templates
{
    for (const char *at = text; *at != '\0'; at++)
        if (!isalnum((unsigned char)*at) && strchr("-_.+=,@:/", *at) == NULL)
            return false;
    return *text != '\0' && strlen(text) < 512;
}

static void print(json_t *value)
{
    json_dumpf(value, stdout, JSON_INDENT(2));
    putchar('\n');
}

static void print_cloudformation(json_t *policy, const char *cluster)
{
    char name[600];
    snprintf(name, sizeof name, "KarpenterControllerPolicy-%s", cluster);
    json_t *template = json_pack(
        "{s:s, s:s, s:{s:{s:s, s:{s:s, s:O}}}, s:{s:{s:{s:s}}}}", "AWSTemplateFormatVersion",
        "2010-09-09", "Description", "The permissions of adze, the node autoscaler", "Resources",
        "KarpenterControllerPolicy", "Type", "AWS::IAM::ManagedPolicy", "Properties",
        "ManagedPolicyName", name, "PolicyDocument", policy, "Outputs", "PolicyArn", "Value", "Ref",
        "KarpenterControllerPolicy");
    print(template);
    json_decref(template);
}

static void print_terraform(json_t *policy, const char *cluster)
{
    char *text = json_dumps(policy, JSON_INDENT(2));
    printf("resource \"aws_iam_policy\" \"karpenter_controller\" {\n"
           "  name   = \"KarpenterControllerPolicy-%s\"\n"
           "  policy = <<-POLICY\n%s\n  POLICY\n}\n",
           cluster, text);
    free(text);
}

static int check(const struct iam_policy_options *options, const char *format)
{
    const struct {
        const char *name, *value;
    } texts[] = {{"--cluster", options->cluster},          {"--region", options->region},
                 {"--account", options->account},          {"--partition", options->partition},
                 {"--queue", options->interruption_queue}, {"--node-role", options->node_role}};
    if (options->cluster == NULL || options->region == NULL || options->account == NULL)
        return command_usage_error(&command_iam, "--cluster, --region and --account are needed");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].value != NULL && !is_plain(texts[i].value))
            return command_usage_error(&command_iam, "%s is not valid", texts[i].name);
    if (strlen(options->account) != 12 || strspn(options->account, "0123456789") != 12)
        return command_usage_error(&command_iam, "--account takes twelve digits");
    if (strcmp(format, "json") != 0 && strcmp(format, "cloudformation") != 0 &&
        strcmp(format, "terraform") != 0)
        return command_usage_error(&command_iam,
                                   "-o takes json, cloudformation or terraform, not %s", format);
    return 0;
}

static const char *partition_of(const char *region)
{
    return text_starts_with(region, "cn-")       ? "aws-cn"
           : text_starts_with(region, "us-gov-") ? "aws-us-gov"
                                                 : "aws";
}

static int run(int argc, char **argv)
{
    static const struct option names[] = {{"cluster", required_argument, NULL, 'c'},
                                          {"region", required_argument, NULL, 'r'},
                                          {"account", required_argument, NULL, 'a'},
                                          {"partition", required_argument, NULL, 'p'},
                                          {"queue", required_argument, NULL, 'q'},
                                          {"node-role", required_argument, NULL, 'n'},
                                          {"zonal-shift", no_argument, NULL, 'z'},
                                          {"own-instance-profiles", no_argument, NULL, 'i'},
                                          {"upstream", no_argument, NULL, 'u'},
                                          {"output", required_argument, NULL, 'o'},
                                          {0}};
    struct iam_policy_options options = {0};
    const char *format = "json";
    int option;
    optind = 1;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "o:", names, NULL)) != -1) {
        if (option == '?')
            return command_usage_error(&command_iam, "unknown or incomplete option %s",
                                       argv[optind - 1]);
        const char **text = option == 'c'   ? &options.cluster
                            : option == 'r' ? &options.region
                            : option == 'a' ? &options.account
                            : option == 'p' ? &options.partition
                            : option == 'q' ? &options.interruption_queue
                            : option == 'n' ? &options.node_role
                            : option == 'o' ? &format
                                            : NULL;
        if (text != NULL)
            *text = optarg;
        options.zonal_shift = options.zonal_shift || option == 'z';
        options.own_instance_profiles = options.own_instance_profiles || option == 'i';
        options.upstream = options.upstream || option == 'u';
    }
    if (optind < argc)
        return command_usage_error(&command_iam, "unexpected argument %s", argv[optind]);
    int status = check(&options, format);
    if (status != 0)
        return status;
    if (options.partition == NULL)
        options.partition = partition_of(options.region);
    json_t *policy = iam_policy_create(&options);
    if (strcmp(format, "terraform") == 0)
        print_terraform(policy, options.cluster);
    else if (strcmp(format, "cloudformation") == 0)
        print_cloudformation(policy, options.cluster);
    else
        print(policy);
    json_decref(policy);
    return 0;
}

const struct command command_iam = {
    .name = "iam",
    .arguments = "--cluster NAME --region REGION --account ID [-o FORMAT]",
    .summary = "print the least IAM policy of the AWS provider",
    .help = "      --cluster NAME         name of the EKS cluster\n"
            "      --region REGION        its region\n"
            "      --account ID           the AWS account, twelve digits\n"
            "      --partition NAME       aws, aws-cn or aws-us-gov; default: by the region\n"
            "      --queue NAME           interruption queue, name or ARN; default: none\n"
            "      --node-role ROLE       role of the nodes, name or ARN; default:\n"
            "                             KarpenterNodeRole-<cluster>\n"
            "      --zonal-shift          with ENABLE_ZONAL_SHIFT\n"
            "      --own-instance-profiles\n"
            "                             every EC2NodeClass names its instance profile\n"
            "      --upstream             without the permissions of adze's own features\n"
            "  -o, --output FORMAT        json (default), cloudformation or terraform\n"
            "\n"
            "  adze iam --cluster prod --region eu-west-1 --account 111122223333 --queue prod\n",
    .run = run,
};
