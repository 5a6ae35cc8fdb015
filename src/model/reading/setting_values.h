// The value of one setting: parsed from text by its row of the table, and formatted as text.
#pragma once

#include <stdbool.h>

#include "base/error.h"

struct setting;
struct settings;
struct text;

// The error for an invalid value lists the allowed ones; the setting is unchanged then.
bool setting_set(struct settings *settings, const struct setting *row, const char *value,
                 struct error *error) MUST_USE;
// The text form of the present value, as setting_set() accepts it.
void setting_format(const struct settings *settings, const struct setting *setting,
                    struct text *out);
