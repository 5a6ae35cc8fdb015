// Settings as command-line flags (LIF-380): --name value, --name=value, one or two dashes; booleans
// bare, or =true and =false. A flag beats the environment variable, which beats the default.
#pragma once

#include "cli/input/command.h"
#include "model/reading/settings.h"

// An additional option of the command, beside the settings.
struct extra_option {
    const char *name;   // without dashes
    const char **value; // receives its text; for a flag without value: NULL and `given`
    bool *given;
};

// Reads the environment, then the flags. Returns -1 on success, else the exit code (the error has
// been printed to standard error). `extras` ends with a row without name.
int settings_from_command_line(const struct command *command, struct settings *settings, int argc,
                               char **argv, const struct extra_option *extras);

// The settings as help text, one a line, for `--help`. The caller frees it.
char *settings_help(void);

// Opens the log as the settings say.
bool settings_open_log(const struct settings *settings, struct error *error) MUST_USE;
