#include "cli/input/command.h"

#include <stdarg.h>
#include <stdio.h>

int command_usage_error(const struct command *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "adze %s: ", command->name);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, " (`adze %s --help` tells more)\n", command->name);
    va_end(arguments);
    return EXIT_BAD_INPUT;
}

int command_failed(const struct command *command, const struct error *error)
{
    // One line: its line feeds and tabs are replaced here, other control characters by
    // terminal_protect().
    fprintf(stderr, "adze %s: ", command->name);
    for (const char *c = error->message; *c != '\0'; c++)
        fputc(*c == '\n' || *c == '\t' || *c == '\r' ? '?' : *c, stderr);
    fputc('\n', stderr);
    return error->kind == ERROR_INVALID ? EXIT_BAD_INPUT : 1;
}
