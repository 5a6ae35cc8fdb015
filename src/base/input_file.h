// Opens files named by users, and never blocks on a peer.
#pragma once

#include <stdio.h>

#include "base/error.h"

struct stat;
// "a named pipe", "a socket", "a device"; NULL for a regular file or a folder.
const char *input_file_oddity(const struct stat *status);

// Opens a regular file, or an open descriptor through /dev/stdin, /dev/fd/N or /proc/self/fd/N (a
// shell's <(...)). Errors: ERROR_INVALID for a pipe, socket or device of any other name,
// ERROR_NOT_FOUND for a missing file, ERROR_UNAVAILABLE for any other failure. Messages begin with
// the path.
FILE *input_file_open(const char *path, struct error *error) MUST_USE;
