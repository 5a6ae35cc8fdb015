// State of a document's decoding, and its errors with the path of the field.
#pragma once

#include "base/memory.h"
#include "base/vector.h"
#include "model/schema/form.h"
#include "model/schema/object.h"
#include "model/schema/place.h"

struct decoder {
    struct arena *arena;
    struct error *error;
    bool strict;
    bool salvages; // leaves out fields of a wrong form; the error is the first one
    uint64_t items;
    VECTOR(json_t *) defaults; // parsed default values, alive until the object is packed
};

// Sets the error, only the first one if the decoder salvages; returns false.
bool decoder_fail(struct decoder *decoder, const struct place *place, const char *format, ...)
    PRINTF_LIKE(3, 4);
// "expected FORM, found ..."; returns false.
bool decoder_expected(struct decoder *decoder, const struct place *place,
                      const struct json_form *form, const json_t *value);
// Whether the value has the form; sets an error otherwise.
static inline bool decoder_expects(struct decoder *decoder, const struct place *place,
                                   const struct json_form *form, const json_t *value)
{
    return form_reads(form, value) || decoder_expected(decoder, place, form, value);
}
