// Regular expressions of schemas (API-15): unanchored searches, compiled once and cached.
#pragma once

#include <stdbool.h>

// `expression` must be a string literal or otherwise live as long as the process. Thread-safe.
bool pattern_matches(const char *expression, const char *text);

// An expression of an input, compiled for this call alone, within a bound on its length. False if
// it is none; else *matches tells.
bool pattern_try(const char *expression, const char *text, bool *matches);
