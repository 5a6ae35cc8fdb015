// adze explain NOUN: one noun, one file, one table entry (explain.c).
#pragma once

#include "cli/input.h"

struct explain_noun {
    const char *name;      // "pod"
    const char *arguments; // "NAMESPACE/NAME|NAME"
    // `name` is what was asked about. Prints the answer and returns the exit code.
    int (*run)(const struct input_options *options, const struct snapshot *snapshot,
               const char *name);
};

extern const struct explain_noun explain_noun_pod;
