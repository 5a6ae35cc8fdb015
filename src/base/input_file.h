// Files that people name: opened without ever waiting for a peer.
#pragma once

#include <stdio.h>

#include "base/error.h"

struct stat;
// "a named pipe", "a socket", "a device"; NULL: it may be read as a file (a folder as well).
const char *input_file_oddity(const struct stat *status);

// Opens a regular file, or a descriptor that is open already, by /dev/stdin, /dev/fd/N or
// /proc/self/fd/N (a shell's <(...)). A pipe, socket or device of any other name is an error that
// says so (ERROR_INVALID); a file that is not there ERROR_NOT_FOUND, any other failure
// ERROR_UNAVAILABLE. Messages begin with the path.
FILE *input_file_open(const char *path, struct error *error) MUST_USE;
