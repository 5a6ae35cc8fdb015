// Percent-encoding as AWS wants it: all but letters, digits and "-._~" becomes %XX.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

void aws_escape(struct text *out, const char *text, bool keep_slashes);
// In place, also "+" as a space if `form`; false if a % is not followed by two hex digits, or a NUL
// comes out. Returns the decoded text in `text`, NUL-terminated.
bool aws_unescape(char *text, bool form) MUST_USE;
