// The last lines of an instance's console for a message: text from outside, made harmless. Pure.
#pragma once

#include "base/text.h"

#define CONSOLE_LINES_MAX 6
#define CONSOLE_BYTES_MAX 600

// Appends the last lines that have text, separated by " | ", from the Base64 text of
// GetConsoleOutput: no control characters or escape sequences, and "***" in place of words that
// look like keys and tokens. Nothing is appended if there is no text.
void console_text_add(struct text *out, const char *base64);
