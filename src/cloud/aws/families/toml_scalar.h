// The reader's place in a TOML text, and the values without structure: strings, numbers, dates.
#pragma once

#include "base/error.h"
#include "cloud/aws/families/toml_value.h"

struct toml_reader {
    const char *text, *place; // place: the next byte; the text ends in NUL
    uint32_t depth;
    struct arena *arena;
    struct error *error;
};
// "line 2, column 5: MESSAGE". Returns NULL.
void *toml_fail(const struct toml_reader *reader, const char *format, ...) PRINTF_LIKE(2, 3);

// At a quote. A key has no multi-line form.
const char *toml_read_string(struct toml_reader *reader, bool key) MUST_USE;
// Booleans, numbers, dates and times.
struct toml_value *toml_read_scalar(struct toml_reader *reader) MUST_USE;
