// The subcommands of the program, in the order of the overview.
#pragma once

#include "cli/input/command.h"

extern const struct command *const commands[];        // NULL-terminated
const struct command *command_find(const char *name); // NULL: there is none
// Prints that there is none of that name, and which was perhaps meant; returns the exit code.
int command_unknown(const char *name);
