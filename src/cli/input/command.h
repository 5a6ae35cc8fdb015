// One subcommand, one file, one table entry.
//
// Exit codes: 0 success, 1 failure, 2 bad usage or bad input, 3 success but not everything could be
// placed.
#pragma once

#include <stdbool.h>

#include "base/error.h"

#define EXIT_BAD_INPUT 2
#define EXIT_UNPLACED  3

struct command {
    const char *name;
    const char *arguments;    // "[FILE|DIR|-]..."
    const char *summary;      // one line
    const char *help;         // options and examples, several lines
    char *(*more_help)(void); // computed help, freed by the caller; NULL: none
    // argv[0] is the command's name; options are parsed by the command (getopt_long).
    int (*run)(int argc, char **argv);
};

extern const struct command command_controller, command_demo, command_plan, command_explain,
    command_budgets, command_cost, command_snapshot, command_validate, command_convert,
    command_preflight, command_crds, command_iam, command_doctor, command_manifests,
    command_node_watcher, command_bench, command_completion, command_man, command_version;

// Prints "adze COMMAND: MESSAGE" to standard error and returns EXIT_BAD_INPUT.
int command_usage_error(const struct command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Prints "adze COMMAND: MESSAGE" as one line to standard error (line breaks from bad input become
// '?') and returns EXIT_BAD_INPUT for bad input, else 1.
int command_failed(const struct command *command, const struct error *error);
