// Options of several commands: input files and the output format.
#pragma once

#include <getopt.h>

#include "base/vector.h"
#include "cli/input/command.h"

struct file_options {
    VECTOR(const char *) files; // from the command line
    const char *format;
};

// Rows of getopt_long()'s table.
#define FILE_OPTIONS                           \
    {"file", required_argument, NULL, 'f'},    \
    {                                          \
        "output", required_argument, NULL, 'o' \
    }
#define FILE_OPTIONS_SHORT "f:o:"

// Takes -f or -o with optarg; false: neither.
bool file_options_take(struct file_options *options, int option);

// The wall clock, nanoseconds since the epoch, for commands that need a single time.
int64_t wall_clock_ns(void);

// Whether `value` is in the NULL-terminated list; otherwise prints "OPTION takes a, b or c, not
// VALUE" and sets *status.
bool option_is_one_of(const struct command *command, const char *option, const char *value,
                      const char *const *list, int *status);
