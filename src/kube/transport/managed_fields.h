// What an API server remembers about who wrote which field (metadata.managedFields) is often more
// than half of an object's text, in thousands of tiny values, and nothing here reads it.
#pragma once

#include <stddef.h>

// Empties each list of that name, in place, before the text is parsed; the new length. What is in
// the lists is not looked at; a list without an end stays. The text is not NUL-terminated.
size_t managed_fields_cut(char *json, size_t length);
