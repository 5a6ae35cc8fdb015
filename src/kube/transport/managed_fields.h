// Cuts metadata.managedFields, the record of field owners. It is often more than half of an
// object's text, in thousands of tiny values, and nothing here reads it.
#pragma once

#include <stddef.h>

// Empties each list of that name, in place, before the text is parsed. Returns the new length.
// Skips the contents of the lists; an unterminated list stays. The text is not NUL-terminated.
size_t managed_fields_cut(char *json, size_t length);
