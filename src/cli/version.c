// adze version
#include <stdio.h>

#include "cli/input/options.h"
#include "cli/output/document.h"

static int run(int argc, char **argv)
{
    static const struct option options[] = {{"output", required_argument, NULL, 'o'}, {0}};
    static const char *const formats[] = {"text", "json", "yaml", JSONPATH_FORMAT, NULL};
    struct file_options output = {.format = "text"};
    int option, status;
    optind = 1;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
        if (option != 'o')
            return option_refused(&command_version, argv, options);
        output.format = optarg;
    }
    if (optind < argc)
        return command_usage_error(&command_version, "unexpected argument %s", argv[optind]);
    if (!file_options_check(&command_version, &output, formats, &status))
        return status;
    if (document_is_wanted(output.format))
        return document_print(
            &command_version, output.format, NULL,
            json_pack("{s:s, s:s}", "version", ADZE_VERSION, "compatibleWith", "karpenter v1.14"));
    printf("adze %s (compatible with Karpenter v1.14)\n", ADZE_VERSION);
    return 0;
}

const struct command command_version = {
    .name = "version",
    .arguments = "[-o FORMAT]",
    .summary = "print the version",
    .help = "  -o, --output FORMAT  text (default), json, yaml or jsonpath=TEMPLATE\n",
    .run = run,
};
