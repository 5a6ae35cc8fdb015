// adze COMMAND [options]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/output/terminal.h"

static void print_overview(FILE *stream)
{
    fprintf(stream,
            "adze: nodes for Kubernetes pods, just in time\n\nusage: adze COMMAND [options]\n\n");
    for (const struct command *const *at = commands; *at != NULL; at++)
        fprintf(stream, "  %-12s %s\n", (*at)->name, (*at)->summary);
    fprintf(stream,
            "\n`adze COMMAND --help` tells more. Exit codes: 0 fine, 1 failed, 2 bad usage or "
            "input, 3 not everything could be placed.\n");
}

static void print_help(const struct command *command)
{
    printf("usage: adze %s %s\n\n%s\n\n%s", command->name, command->arguments, command->summary,
           command->help);
    if (command->more_help != NULL) {
        char *more = command->more_help();
        printf("\n%s", more);
        free(more);
    }
}

static bool is_help(const char *argument)
{
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0 ||
           strcmp(argument, "-help") == 0;
}

// Output lost to a full disk or a closed pipe must not count as success.
static int finish(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "adze: cannot write to standard output: %m\n");
    return status == EXIT_BAD_INPUT ? EXIT_BAD_INPUT : 1;
}

int main(int argc, char **argv)
{
    terminal_protect();
    // kubectl completes a plugin's words by a program of this name: a link to this one.
    const char *slash = strrchr(argv[0], '/');
    if (strcmp(slash != NULL ? slash + 1 : argv[0], "kubectl_complete-adze") == 0)
        return finish(complete_for_kubectl(argc - 1, argv + 1));
    if (argc < 2) {
        print_overview(stderr);
        return EXIT_BAD_INPUT;
    }
    if (is_help(argv[1]) || strcmp(argv[1], "help") == 0) {
        if (argc > 2 && command_find(argv[2]) == NULL)
            return command_unknown(argv[2]);
        if (argc > 2)
            print_help(command_find(argv[2]));
        else
            print_overview(stdout);
        return finish(0);
    }
    if (strcmp(argv[1], "--version") == 0)
        return finish(command_version.run(1, argv + 1));
    const struct command *command = command_find(argv[1]);
    if (command == NULL)
        return command_unknown(argv[1]);
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (is_help(argv[i])) {
            print_help(command);
            return finish(0);
        }
    return finish(command->run(argc - 1, argv + 1));
}
