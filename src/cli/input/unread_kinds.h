// Kinds of manifests that are not read, as far as something is known about them.
#pragma once

#include <jansson.h>
#include <stdbool.h>

struct text;

// Why a document of a kind that is not read matters: a static text, NULL if nothing comes of it.
// `relevant`: pods or nodes may come of it. `note` gets a short figure, as "2 to 10", or nothing.
const char *unread_kind_cause(const json_t *document, bool *relevant, struct text *note);
