// Errors as values: a kind that decides behavior and a message for users.
//
// A function that can fail returns bool (or a pointer) and fills a `struct error *` that the caller
// owns. The message names the object concerned and, where there is one, the remedy.
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"

enum error_kind {
    ERROR_NONE,
    ERROR_INVALID,               // bad input: the caller must change it
    ERROR_NOT_FOUND,             // the object (or the machine) does not exist
    ERROR_ALREADY_EXISTS,        //
    ERROR_CONFLICT,              // optimistic lock failed: read again and retry at once
    ERROR_GONE,                  // resourceVersion too old: list again
    ERROR_UNAUTHORIZED,          // credentials missing or expired
    ERROR_FORBIDDEN,             // RBAC
    ERROR_TOO_MANY_REQUESTS,     // throttled, or an eviction blocked by a PDB: back off
    ERROR_UNAVAILABLE,           // network, 5xx: retry with back-off
    ERROR_TIMEOUT,               //
    ERROR_INSUFFICIENT_CAPACITY, // LIF-33: no capacity for the claim; the claim is deleted
    ERROR_NODE_CLASS_NOT_READY,  // LIF-33
    ERROR_INTERNAL,              // everything else
};

struct error {
    enum error_kind kind;
    uint16_t path_length; // of the field path that begins the message; 0: none
    char message[1500];
};

// Fills *error (if not NULL) and returns false, so that `return error_set(...)` reads well.
bool error_set(struct error *error, enum error_kind kind, const char *format, ...)
    PRINTF_LIKE(3, 4);

// Puts "<text>, " before the message, keeping the kind. Returns false.
bool error_prefix(struct error *error, const char *format, ...) PRINTF_LIKE(2, 3);

// Puts "<path>: " before the message, the path of the input's field at fault. Returns false.
bool error_locate(struct error *error, const char *path_format, ...) PRINTF_LIKE(2, 3);

const char *error_kind_name(enum error_kind kind);
