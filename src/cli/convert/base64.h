// Base64 as user data and launch templates have it.
#pragma once

#include <stdbool.h>

#include "base/text.h"

#define BASE64_TEXT_MAX (1u << 20)

// Adds the decoded bytes; false: the text is no base64, is too long, or holds a NUL. White space is
// skipped.
bool base64_decode(const char *text, struct text *out);
