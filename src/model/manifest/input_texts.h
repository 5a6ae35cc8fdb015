// Finds the manifests of a path and reads their texts.
#pragma once

#include "base/error.h"
#include "base/text.h"

struct input_receiver {
    // The text of a file; its name is borrowed. False, with an error: no more.
    bool (*receive)(void *context, const char *name, const struct text *text, struct error *error);
    // An entry of a folder that is passed over: "a named pipe".
    void (*skip)(void *context, const char *path, const char *oddity);
    void *context;
};
// A file, a folder's *.yaml, *.yml and *.json (recursive, byte order) or standard input ("-").
bool input_texts_read(const char *path, const struct input_receiver *receiver,
                      struct error *error) MUST_USE;
// Appends standard input, which is readable only once, to the text.
bool standard_input_read(struct text *text, struct error *error) MUST_USE;
