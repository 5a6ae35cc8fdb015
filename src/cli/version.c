// adze version
#include <stdio.h>
#include <string.h>

#include "cli/command.h"

static int run(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "-o") == 0 && i + 1 < argc && strcmp(argv[i + 1], "json") == 0)
            return printf("{\"version\": \"%s\", \"compatibleWith\": \"karpenter v1.14\"}\n",
                          ADZE_VERSION) < 0;
    printf("adze %s (compatible with Karpenter v1.14)\n", ADZE_VERSION);
    return 0;
}

const struct command command_version = {
    .name = "version",
    .arguments = "[-o json]",
    .summary = "print the version",
    .help = "",
    .run = run,
};
