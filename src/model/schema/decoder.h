// State of a document's decoding, and its errors with the path of the field.
#pragma once

#include "base/memory.h"
#include "base/vector.h"
#include "model/schema/object.h"

struct decode_place { // where in the document; a chain on the stack, made into text for errors only
    const struct decode_place *parent;
    const char *name; // field or map key; NULL: a list item
    size_t index;
};
struct decoder {
    struct arena *arena;
    struct error *error;
    bool strict;
    bool salvages; // fields of a wrong form are left out; the error is the first one
    uint64_t items;
    VECTOR(json_t *) defaults; // parsed default values, alive until the object is packed
};

// Sets the error, the first one if the decoder salvages; false.
bool decoder_fail(struct decoder *decoder, const struct decode_place *place, const char *format,
                  ...) PRINTF_LIKE(3, 4);
// "expected FORM, found ..."; false.
bool decoder_expected(struct decoder *decoder, const struct decode_place *place, const char *form,
                      const json_t *value);
