// The subcommands of the program, in the order of the overview.
#pragma once

#include "cli/input/command.h"

extern const struct command *const commands[];        // NULL-terminated
const struct command *command_find(const char *name); // NULL: there is none
