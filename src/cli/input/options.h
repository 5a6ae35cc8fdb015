// Options of several commands: input files, the format of the output and its looks.
#pragma once

#include <getopt.h>

#include "base/text.h"
#include "base/vector.h"
#include "cli/input/cluster_options.h"
#include "cli/input/command.h"

typedef VECTOR(const char *) option_list;

struct file_options {
    option_list files; // from the command line
    const char *format;
    const char *color; // NULL: not given
};

// Rows of getopt_long()'s table.
enum { COLOR_OPTION = 4096, NO_HEADERS_OPTION };
#define FILE_OPTIONS                                                                          \
    {"file", required_argument, NULL, 'f'}, {"color", required_argument, NULL, COLOR_OPTION}, \
    {                                                                                         \
        "output", required_argument, NULL, 'o'                                                \
    }
#define FILE_OPTIONS_SHORT "f:o:"
#define HEADERS_OPTION                                     \
    {                                                      \
        "no-headers", no_argument, NULL, NO_HEADERS_OPTION \
    }

// Takes one of these with optarg; false: it is none of them.
bool file_options_take(struct file_options *options, int option);
// Whether -o has one of the formats of the NULL-terminated list, which may end with
// "jsonpath=TEMPLATE", and --color a value; otherwise prints the error and sets *status. Then the
// output's style is set.
bool file_options_check(const struct command *command, const struct file_options *options,
                        const char *const *formats, int *status);
#define JSONPATH_FORMAT "jsonpath=TEMPLATE"

// Options of one command beside those of its files: one of the three is where it goes.
struct option_row {
    const char *name; // without dashes; NULL ends the rows
    bool *given;
    const char **text;
    option_list *list; // each time it is given
};
// Reads the command line: the rows' options, those of files, those of a cluster unless `cluster` is
// NULL, and the files behind them. False: the error has been printed, *status has the exit code.
bool file_options_read(const struct command *command, int argc, char **argv,
                       const struct option_row *rows, struct file_options *files,
                       struct kube_choice *cluster, int *status);

// Names of files as words of a shell, with a blank between them. The caller frees.
char *input_file_words(const char *const *files, uint32_t count) MUST_USE;

// Says on the terminal that standard input is awaited, if `path` is "-" and somebody types it.
void input_await(const char *path);

// The wall clock, nanoseconds since the epoch, for commands that need a single time.
int64_t wall_clock_ns(void);

// Whether `value` is in the NULL-terminated list; otherwise prints "OPTION takes a, b or c, not
// VALUE" and sets *status.
bool option_is_one_of(const struct command *command, const char *option, const char *value,
                      const char *const *list, int *status);
// Appends "; did you mean PREFIXname?" if one of the names is near the word.
void option_add_meant(struct text *text, const char *word, const char *const *names, size_t count,
                      const char *prefix);
// Whether the text is a number from 0 to `max`; otherwise prints the error and sets *status.
bool option_is_count(const struct command *command, const char *option, const char *text,
                     int64_t max, int64_t *value, int *status);
// After getopt_long() has refused a word, with opterr 0: prints why, with the name that was perhaps
// meant, and returns the exit code.
int option_refused(const struct command *command, char *const *argv, const struct option *table);
