// A location in an object: a chain on the stack, converted to text for messages only.
#pragma once

#include <stddef.h>

#include "base/text.h"

struct place {
    const struct place *parent; // NULL: the object itself
    const char *key;            // a field, or a key of a map; NULL: an item of a list
    size_t index;               // of the item
};

// Appends the path in its readable form (API-316): dotted, list indices in brackets, map keys with
// dots, slashes, quotes or blanks in brackets and quotes: spec.template.metadata.labels["team/x"].
// NULL, the object itself, has the empty path.
void place_text(const struct place *place, struct text *text);
