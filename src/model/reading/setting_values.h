// The value of one setting: read from text by its row of the table, and written as text.
#pragma once

#include <stdbool.h>

#include "base/error.h"

struct setting;
struct settings;
struct text;

// A value that is not allowed is an error that says what is; nothing changes then.
bool setting_set(struct settings *settings, const struct setting *row, const char *value,
                 struct error *error) MUST_USE;
// The text that setting_set() would take for the present value.
void setting_format(const struct settings *settings, const struct setting *setting,
                    struct text *out);
