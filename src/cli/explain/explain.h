// adze explain NOUN: one noun, one file, one table entry (explain.c).
#pragma once

#include "cli/input/input.h"

struct explain_noun {
    const char *name;      // "pod"
    const char *plural;    // accepted as well; or NULL
    const char *arguments; // "NAMESPACE/NAME|NAME"
    bool many;             // any number of names, also none (all); else one
    // `names`, the arguments, ends with NULL. Prints the answer and returns the exit code.
    int (*run)(const struct input_options *options, const struct snapshot *snapshot,
               char *const *names);
};

extern const struct explain_noun explain_noun_pod, explain_noun_node, explain_noun_budget;
