// What the last word of an unfinished command line can be. From the table of commands and their
// help texts; names of objects come from a list that the caller supplies.
#pragma once

#include "base/memory.h"
#include "base/vector.h"
#include "cli/input/command.h"
#include "kube/transport/kube_choice.h"
#include "model/schema/object.h"

struct candidate {
    const char *word;
    const char *description; // one line; NULL: none
};

struct candidates {
    VECTOR(struct candidate) items; // those that begin with the word
    bool files;                     // files and folders as well
    // Names of this kind's objects as well; KIND_COUNT: none. Of the cluster that the line names.
    enum kind_id names;
    struct kube_choice cluster;
};

// `words` are those behind the program's name; the last one, perhaps "", is being completed. Words
// and descriptions live in the arena or are the commands'.
struct candidates candidates_find(struct arena *arena, const struct command *const *commands,
                                  char *const *words, int count);
// Adds a candidate if it begins with `word`.
void candidates_add(struct candidates *candidates, const char *word, const char *text,
                    const char *description);
