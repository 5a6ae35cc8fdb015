// adze version
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/input/command.h"

static int run(int argc, char **argv)
{
    static const struct option options[] = {{"output", required_argument, NULL, 'o'}, {0}};
    const char *format = "text";
    int option;
    optind = 1;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
        if (option != 'o')
            return command_usage_error(&command_version, "unknown or incomplete option %s",
                                       argv[optind - 1]);
        format = optarg;
    }
    if (optind < argc)
        return command_usage_error(&command_version, "unexpected argument %s", argv[optind]);
    if (strcmp(format, "json") == 0)
        printf("{\"version\": \"%s\", \"compatibleWith\": \"karpenter v1.14\"}\n", ADZE_VERSION);
    else if (strcmp(format, "yaml") == 0)
        printf("version: %s\ncompatibleWith: karpenter v1.14\n", ADZE_VERSION);
    else if (strcmp(format, "text") == 0)
        printf("adze %s (compatible with Karpenter v1.14)\n", ADZE_VERSION);
    else
        return command_usage_error(&command_version, "-o takes text, json or yaml, not %s", format);
    return 0;
}

const struct command command_version = {
    .name = "version",
    .arguments = "[-o text|json|yaml]",
    .summary = "print the version",
    .help = "  -o, --output FORMAT  text (default), json or yaml\n",
    .run = run,
};
