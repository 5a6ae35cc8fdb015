// Reads a command's help text: its options with their arguments, values and descriptions, and its
// other parts. Help is written for people in one form (command.h), which a test holds: an option's
// line begins with its names, lines of its description are indented further.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "cli/input/command.h"

#define HELP_NAMES_MAX 4

struct help_option {
    const char *names[HELP_NAMES_MAX]; // "-f", "--file"
    uint32_t count;
    const char *argument;    // "FILE"; NULL: it takes none
    const char *description; // one line
    // The words that its argument may be, as the description lists them; NULL: anything.
    const char *const *values; // NULL-terminated
};

enum help_part_kind {
    HELP_OPTION,
    HELP_TITLE,     // "Settings:"
    HELP_PARAGRAPH, // lines of text, joined
    HELP_EXAMPLE,   // a line that stands as it is
    HELP_STATUS,    // the paragraph about exit codes
};

struct help_part {
    enum help_part_kind kind;
    struct help_option option;
    const char *text;
};

struct help {
    struct help_part *parts;
    uint32_t count;
};

// The parts of the command's help, in its order, with what the command computes. All of it lives in
// the arena.
struct help help_of_command(struct arena *arena, const struct command *command);
// The option with that name, such as "-f" or "--file"; NULL: none.
const struct help_option *help_find(const struct help *help, const char *name);
