// Strings that recur across objects (label keys, resource names, enum-like values), kept once for
// the process. Bounded: above SHARED_STRINGS_MAX entries nothing is added, and callers keep their
// own copy. Entries are never removed, so a result is valid for ever. Thread-safe, lock-free.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHARED_STRINGS_MAX       16384
#define SHARED_STRING_LENGTH_MAX 128

// The shared copy of text[0..length), whose hash_bytes() is `hash`. A missing copy is added if
// `add` is set and the table has room; otherwise NULL.
const char *shared_string(const char *text, size_t length, uint64_t hash, bool add);
uint32_t shared_strings_count(void);
