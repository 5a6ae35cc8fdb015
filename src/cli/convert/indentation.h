// Manifests that have lost their indentation on the way through a web page: it is found again from
// what each kind's fields are.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

// Writes the document anew; false: its kind is not known, or a line has no place in it.
bool indentation_restore(const char *text, size_t length, struct text *out);
